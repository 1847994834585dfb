"""What reviewers are asked, and what they say."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CriterionText:
    """One thing to score from 1 to 5."""

    name: str
    hint: str
    weight: float = 1.0


CRITERIA = (
    CriterionText("Relevance", "Would the people you know in this track come?", 2.0),
    CriterionText("Clarity", "Do you know after reading what you would learn?"),
    CriterionText("Originality", "Have you heard this before, or something much like it?"),
)
INSTRUCTIONS = (
    "Read the abstract first and the answers second. Score what is written, not what could be "
    "made of it. If you recognise whose it is, abstain."
)
GOOD = (
    "I would sit in the first row.",
    "Concrete, honest about what failed, the right length.",
    "The best abstract I read this week.",
    "Fills a gap in this track.",
    "Strong. Ask for ten minutes of questions.",
)
MIDDLING = (
    "Solid, though we had something like it last year.",
    "Good story, little that one can take home.",
    "Would work better as a lightning talk.",
    "The middle part is the interesting one; could it be all of it?",
)
POOR = (
    "Reads like a product page.",
    "I do not see what the audience learns.",
    "Too broad for half an hour.",
    "The abstract is two sentences, and both are the title.",
)
ABSTAINED = (
    "I know who wrote this.",
    "We worked on this together.",
    "I mentored the author for another conference.",
)
