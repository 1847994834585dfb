"""What people send to DevConf: languages, security, and how people work together."""

from unsession.demo.content.shapes import Talk

LANGUAGES_SECURITY_PEOPLE: tuple[Talk, ...] = (
    Talk(
        "Async Python after the honeymoon",
        "Five years ago we made everything asynchronous. Some of it we have since made "
        "synchronous again, happily. The talk sorts our services into those that gained and those "
        "that did not, with measurements for both.",
        "languages",
    ),
    Talk(
        "A type checker for a code base that never had one",
        "Half a million lines, no annotations, and a team that was not convinced. We describe the "
        "order in which we typed modules, the bugs found on the way, and the three places where "
        "we gave up on purpose.",
        "languages",
    ),
    Talk(
        "Rust where it hurts, Python where it doesn't",
        "A route planner became forty times faster by rewriting four percent of it. I show how we "
        "chose the four percent, what the boundary looks like, and who on the team maintains it "
        "now.",
        "languages",
        level="advanced",
    ),
    Talk(
        "What the garbage collector knows about your program",
        "A collector sees every object you forgot. We ask it politely for its opinion and find "
        "two caches, one queue and a very long list of closed windows. Works for any managed "
        "language.",
        "languages",
        level="advanced",
    ),
    Talk(
        "Writing a parser you can still read next year",
        "Recursive descent is not a dirty word. We write a parser for a small language of recipes "
        "on stage, with error messages a cook understands, and keep it under two hundred lines.",
        "languages",
        level="beginner",
    ),
    Talk(
        "Your first C extension, memory errors included",
        "You write one, it crashes, and then you find out why with the proper tools. At the end "
        "you can read other people's extensions without fear and know when not to write your own.",
        "languages",
        "workshop",
        "advanced",
    ),
    Talk(
        "Pattern matching in anger",
        "Two years after we allowed it, a look at all 1,140 match statements in our repository. "
        "Some replaced a page of conditions, some only moved it. The rules of thumb fit on one "
        "slide.",
        "languages",
    ),
    Talk(
        "Strings are harder than you think",
        "How long is this name? Ten minutes, six correct answers, and a demonstration that your "
        "database disagrees with your browser.",
        "languages",
        "lightning",
        "beginner",
    ),
    Talk(
        "Threat modelling with people who have no time",
        "An hour, a whiteboard, four questions. We have done this with forty teams, from a bakery "
        "to a bank, and kept notes on what changed afterwards. You will do a small one yourself "
        "during the talk.",
        "security",
        level="beginner",
    ),
    Talk(
        "The dependency that changed hands",
        "A package we relied on was sold, quietly. I tell how we noticed, what the new owner "
        "shipped, and which of our defences would have caught it earlier. One of them is a simple "
        "calendar entry.",
        "security",
    ),
    Talk(
        "Passkeys in a public library",
        "Our readers share computers, forget phones and are nine or ninety years old. We replaced "
        "passwords anyway. Expect real support tickets, a few failures and a sign-in page that a "
        "librarian designed.",
        "security",
    ),
    Talk(
        "Reading your own access log like a burglar",
        "Everything a burglar needs is often in a file you rotate weekly. We go through a real, "
        "anonymised log and look for habits, back doors and forgotten tests. Afterwards you will "
        "read yours the same evening.",
        "security",
        level="beginner",
    ),
    Talk(
        "Deleting personal data and proving it",
        "Erasure is easy until you count the copies. This talk follows one person's data through "
        "backups, logs, exports and a data lake, and shows a chain of receipts that satisfied a "
        "regulator.",
        "security",
        level="advanced",
    ),
    Talk(
        "Break this web shop in ninety minutes",
        "A complete, friendly and badly written shop is waiting for you. In pairs you find its "
        "twelve holes, and then close as many as you can. No experience needed, prizes made of "
        "chocolate.",
        "security",
        "workshop",
        "beginner",
    ),
    Talk(
        "Disclosure: what finders and maintainers owe each other",
        "Somebody finds a hole on a Friday and the maintainer has a family. A finder, two "
        "maintainers and a coordinator compare what they expect of each other, and where it went "
        "badly wrong.",
        "security",
        "panel",
    ),
    Talk(
        "Sealed envelopes: a gentle introduction to authenticated encryption",
        "You will not write your own cryptography, but you will choose parameters. With paper "
        "envelopes and two volunteers we act out what goes wrong when the seal, the address or "
        "the number is missing.",
        "security",
        level="beginner",
    ),
    Talk(
        "Onboarding in the third time zone",
        "When the first colleague eleven hours away joined us, half of our habits stopped "
        "working. We wrote down what we had always said aloud. It helped the people in the same "
        "room even more.",
        "people",
        level="beginner",
    ),
    Talk(
        "Code review as teaching",
        "A review can find bugs or grow people, seldom both at once. We tried separating the two "
        "for a year, with different reviewers and different words. I bring the phrases that "
        "worked and those we regret.",
        "people",
    ),
    Talk(
        "The maintainer who went on holiday",
        "For three weeks nobody merged anything, and the project was better for it. A talk about "
        "rest, bus factors and the release we postponed for ever.",
        "people",
        level="beginner",
    ),
    Talk(
        "Estimates, honestly",
        "We compared six years of estimates with what happened. The team was wrong in a very "
        "regular way, and that is good news. You get the spreadsheet and the conversation that "
        "follows it.",
        "people",
    ),
    Talk(
        "Pair programming across a language barrier",
        "Two developers, one keyboard, and about three hundred words in common. What we learnt "
        "about names, drawing and patience turned out to help pairs who share a mother tongue.",
        "people",
    ),
    Talk(
        "Thirty years of keyboards: careers after fifty",
        "Four people who started before the web talk about learning, being managed by their "
        "students, and what they would not do again. The audience may interrupt at any time.",
        "people",
        "panel",
        "beginner",
    ),
    Talk(
        "How to leave a project",
        "Well, kindly, and with the passwords handed over. A checklist from somebody who did it "
        "badly twice.",
        "people",
        "lightning",
        "beginner",
    ),
    Talk(
        "Documentation as a product with one developer",
        "I own forty pages and nobody asked me for a road map. Treating them as a product meant "
        "deleting half, measuring searches and saying no. Support requests fell by a third.",
        "people",
    ),
)
