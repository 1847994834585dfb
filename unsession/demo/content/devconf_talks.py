"""What people send to DevConf: three tracks of it, the other three next door."""

from unsession.demo.content.shapes import Talk

WEB_DATA_INFRA: tuple[Talk, ...] = (
    Talk(
        "The form that never lost a word: autosave without tears",
        "People close the lid, lose the train's wifi and come back on another device. We rebuilt "
        "the longest form of a city administration so that nothing typed is ever lost. You see "
        "the protocol, the conflicts we did not foresee, and what it did to the hotline.",
        "web",
    ),
    Talk(
        "View transitions in an application that is eleven years old",
        "New browser features look easy in a demo of three pages. This is the story of adding "
        "animated navigation to four hundred server-rendered ones, with a fallback that is "
        "simply the old behaviour. Includes the day we made half our users seasick.",
        "web",
    ),
    Talk(
        "What screen reader users taught our design system",
        "We paid eleven people to use our components and said nothing for an hour. Half of what "
        "the audits had praised turned out to be noise. I show the recordings, the changes, and "
        "a short list of questions you can ask tomorrow.",
        "web",
        level="beginner",
    ),
    Talk(
        "Deleting 40,000 lines of JavaScript, one page at a time",
        "A rewrite was refused, so we deleted instead. Each week one page lost its framework and "
        "had to stay as good as before, measured. Two years later the bundle is a tenth and the "
        "team is the same size.",
        "web",
    ),
    Talk(
        "Fonts, scripts and the text that did not fit: typesetting for eleven languages",
        "A button that fits in English breaks in Finnish and means something else in Thai. We "
        "walk through line breaking, digits, sorting and truncation in eleven languages and look "
        "at the bugs real people reported. Bring the longest word you know.",
        "web",
    ),
    Talk(
        "Server-sent events are enough",
        "Ten minutes against reaching for a socket too early. One endpoint, one header, one "
        "reconnect rule, and a live departure board that has run for six years.",
        "web",
        "lightning",
        "beginner",
    ),
    Talk(
        "Build a calendar widget that a keyboard can use",
        "We start from an empty file and a list of what people expect of a calendar. By the end "
        "you have a date picker that works with keys, touch and speech, and tests that keep it "
        "so. Bring a laptop with any recent browser.",
        "web",
        "workshop",
    ),
    Talk(
        "A bad network on purpose: testing on a train between two cities",
        "Every month our whole team works from a regional train. The connection drops in nine "
        "tunnels, and so does our software. I explain the game, the scoreboard and the fixes that "
        "came out of it.",
        "web",
        level="beginner",
    ),
    Talk(
        "Your nightly batch is a distributed system",
        "It runs on one machine, so nobody thinks about partial failure until the month end. We "
        "apply the vocabulary of distributed systems to a humble cron job: idempotence, fencing, "
        "back-pressure. The result is shorter than the script it replaces.",
        "data",
    ),
    Talk(
        "Label noise: what we found when we re-read 10,000 annotations",
        "Three people read a whole training set again, on paper. One label in fourteen was wrong, "
        "and not at random. This talk shows which errors mattered to the model and which only "
        "mattered to us.",
        "data",
    ),
    Talk(
        "One laptop against the warehouse bill",
        "Our largest table fits on a disk you can buy in a shop. We moved the monthly reports from "
        "a cluster to a single process and kept the queries. I bring the numbers, including the "
        "two reports that went back.",
        "data",
        level="beginner",
    ),
    Talk(
        "Forecasting bread: small models for a chain of bakeries",
        "Forty shops, sixty kinds of bread and a baker who wants an answer at two in the morning. "
        "A seasonal baseline beat everything clever for a year. We look at what finally beat it, "
        "and at how much bread was thrown away meanwhile.",
        "data",
    ),
    Talk(
        "Who may delete a training set?",
        "A hospital, a museum and a start-up keep data for models under three different laws. "
        "The panel compares who decides, who is asked and what deletion means once a model "
        "exists. Questions from the room come first.",
        "data",
        "panel",
    ),
    Talk(
        "Schema changes on Friday afternoon",
        "We change large tables in working hours with everybody watching. The talk covers locks, "
        "backfills and the checklist that made it dull. There will be a live migration; bring "
        "popcorn.",
        "data",
        level="advanced",
    ),
    Talk(
        "Entity resolution by hand, then by machine",
        "Are these two records the same person? You decide for fifty pairs, then write the rules "
        "you used, then measure them against your neighbour. No mathematics beyond counting is "
        "needed.",
        "data",
        "workshop",
        "beginner",
    ),
    Talk(
        "The feature store nobody asked for",
        "We built a platform before we had two users for it. Three years later one survives, in "
        "two hundred lines. An honest account of how good engineering met a missing need.",
        "data",
    ),
    Talk(
        "Restoring the backup: a rehearsal every Tuesday",
        "Backups are a rumour until somebody restores one. Each Tuesday a name is drawn and that "
        "person rebuilds production from nothing, with a stopwatch. We went from nine hours to "
        "thirty-one minutes and found eleven things that were never backed up.",
        "infra",
    ),
    Talk(
        "Four nines on two servers",
        "You may not need the cluster. We run a ticket office for two million people on a pair of "
        "machines and a very good runbook. I show the failure modes we accept, the ones we do "
        "not, and the yearly bill.",
        "infra",
    ),
    Talk(
        "We moved the queue and nothing happened",
        "Changing a message broker under load should be boring. This is how we made it so: double "
        "writes, shadow reads, a dial from zero to one hundred, and a way back at every step.",
        "infra",
        level="advanced",
    ),
    Talk(
        "Clock skew, leap seconds and other ways to be early",
        "A parcel was delivered before it was sent, so the invoice was negative. We follow that "
        "bug through four services and two time zones, and end with rules about time that fit on "
        "a postcard.",
        "infra",
    ),
    Talk(
        "An incident review that people want to read",
        "Most reviews are written for nobody. Ours became the most read page in the company once "
        "we treated them as stories with a cast. You take home a template and three examples with "
        "the names changed.",
        "infra",
        level="beginner",
    ),
    Talk(
        "Reading a flame graph together",
        "Six real profiles, six slow programs, and ninety minutes. We learn to see waiting, "
        "copying and locking in a picture, and fix each program before going on. Any operating "
        "system will do.",
        "infra",
        "workshop",
    ),
    Talk(
        "The log line that cost us a day",
        "It said success. A short, painful reading of one line of log, and five words we have "
        "banned since.",
        "infra",
        "lightning",
        "beginner",
    ),
    Talk(
        "Ship the boring migration first",
        "Every big change hides a dull half that can go out today. Looking at six migrations of a "
        "railway booking system, we learn to find that half and to stop there when it is enough.",
        "infra",
    ),
)
