"""The three events and how they are set up."""

from unsession.demo.content import cast
from unsession.demo.content.devconf_more_talks import LANGUAGES_SECURITY_PEOPLE
from unsession.demo.content.devconf_talks import WEB_DATA_INFRA
from unsession.demo.content.shapes import DayText, EventText, ItemText, OptionText
from unsession.demo.content.smaller_talks import HARBOUR as HARBOUR_TALKS, PYDAY as PYDAY_TALKS
from unsession.domain.forms import FormStatus
from unsession.domain.sessions import SessionKind

#: Lunch divides every day: no talk is placed across it.
LUNCH, LUNCH_MINUTES = 12 * 60 + 30, 60

_SERVICE, _SPONSOR = SessionKind.SERVICE, SessionKind.SPONSOR

_LEVELS = (
    OptionText("beginner", "Beginner"),
    OptionText("intermediate", "Intermediate"),
    OptionText("advanced", "Advanced"),
)

DEVCONF = EventText(
    slug="devconf-2027",
    name="DevConf 2027",
    zone="Europe/Lisbon",
    venue="Armazém do Cais, Lisbon",
    description="Three days for people who build and run software: talks, workshops and long "
    "breaks in an old warehouse by the river. Six rooms, one track for everybody who is new.",
    starts_in=72,
    weekday=2,
    days=(
        DayText(510, 585, 1080, 1110),
        DayText(540, 555, 1080, 1110),
        DayText(540, 555, 960, 1020),
    ),
    rooms=(
        ("Auditorium", 620),
        ("Studio B", 180),
        ("Studio A", 180),
        ("River Room", 110),
        ("Library", 60),
        ("Workshop Loft", 40),
    ),
    tracks=(
        OptionText("web", "Web & Frontend", "#1d4ed8"),
        OptionText("data", "Data & Machine Learning", "#7c3aed"),
        OptionText("infra", "Infrastructure", "#0f766e"),
        OptionText("languages", "Languages & Runtimes", "#b45309"),
        OptionText("security", "Security & Privacy", "#be123c"),
        OptionText("people", "People & Practice", "#4d7c0f"),
    ),
    formats=(
        OptionText("talk", "Talk", minutes=30),
        OptionText("workshop", "Workshop", minutes=90),
        OptionText("panel", "Panel", minutes=45),
        OptionText("lightning", "Lightning talk", minutes=10),
    ),
    levels=_LEVELS,
    items=(
        ItemText("Registration", _SERVICE, 45, day=0, start=510),
        ItemText("Opening", _SERVICE, 25, day=0, start=555, room="Auditorium"),
        ItemText("Lunch", _SERVICE, LUNCH_MINUTES, day=0, start=LUNCH),
        ItemText("Lunch", _SERVICE, LUNCH_MINUTES, day=1, start=LUNCH),
        ItemText("Lunch", _SERVICE, LUNCH_MINUTES, day=2, start=LUNCH),
        ItemText("Closing", _SERVICE, 40, day=2, start=970, room="Auditorium"),
        ItemText(
            "Timetables that bend: how a city plans its trams",
            _SPONSOR,
            30,
            sponsor="Ferrovia Norte",
            abstract="Our sponsor shows how a tram network is planned anew every night.",
        ),
        ItemText(
            "Live from the control room of forty wind parks",
            _SPONSOR,
            30,
            sponsor="Brightwater Energy",
            abstract="What the software sees when the wind drops, with time for questions.",
        ),
    ),
    talks=(*WEB_DATA_INFRA, *LANGUAGES_SECURITY_PEOPLE),
    reviewers=((cast.REVIEWER_NAME, cast.REVIEWER), *cast.FELLOW_REVIEWERS),
    contact="hello@devconf.example",
    accent="#0f766e",
    fixed=cast.DEVCONF,
)

PYDAY = EventText(
    slug="pyday-2027",
    name="PyDay Bogotá 2027",
    zone="America/Bogota",
    venue="Casa de la Cultura del Norte, Bogotá",
    description="Un día de Python en español e inglés, hecho por voluntarios.",
    starts_in=107,
    weekday=5,
    days=(DayText(510, 555, 1020, 1080),),
    rooms=(("Salón Principal", 240), ("Aula Taller", 45)),
    tracks=(
        OptionText("core", "Python Core", "#1e40af"),
        OptionText("data", "Datos", "#a16207"),
        OptionText("community", "Comunidad", "#9d174d"),
    ),
    formats=(
        OptionText("talk", "Charla", minutes=30),
        OptionText("workshop", "Taller", minutes=90),
        OptionText("lightning", "Charla relámpago", minutes=5),
    ),
    levels=_LEVELS,
    items=(
        ItemText("Registro y café", _SERVICE, 40, day=0, start=510),
        ItemText("Almuerzo", _SERVICE, LUNCH_MINUTES, day=0, start=LUNCH),
    ),
    talks=PYDAY_TALKS,
    reviewers=cast.PYDAY_REVIEWERS,
    contact="hola@pyday.example",
    accent="#b45309",
    closes_in=20,
)

HARBOUR = EventText(
    slug="harbour-days-2027",
    name="Harbour Days 2027",
    zone="Pacific/Auckland",
    venue="The Old Wool Store, Wellington",
    description="A Saturday of small talks about software, boats and what happens between them.",
    starts_in=47,
    weekday=5,
    days=(DayText(600, 615, 960, 990),),
    rooms=(("Wool Loft", 80), ("Boatshed", 30)),
    tracks=(
        OptionText("makers", "Makers", "#0e7490"),
        OptionText("civic", "Civic", "#6d28d9"),
    ),
    formats=(
        OptionText("talk", "Talk", minutes=25),
        OptionText("workshop", "Workshop", minutes=90),
        OptionText("lightning", "Lightning talk", minutes=10),
    ),
    levels=_LEVELS,
    items=(ItemText("Lunch on the jetty", _SERVICE, LUNCH_MINUTES, day=0, start=LUNCH),),
    talks=HARBOUR_TALKS,
    reviewers=cast.HARBOUR_REVIEWERS,
    contact="crew@harbour.example",
    accent="#0e7490",
    form_status=FormStatus.CLOSED,
    closes_in=-3,
)
