"""What people send to the two smaller events."""

from unsession.demo.content.shapes import Talk

PYDAY: tuple[Talk, ...] = (
    Talk(
        "Generadores sin misterio",
        "Un recorrido por yield, send y la pereza bien entendida. Partimos de un archivo de "
        "registro de ocho gigas y terminamos con un programa que cabe en la memoria de un "
        "teléfono viejo.",
        "core",
        level="beginner",
    ),
    Talk(
        "Python en la finca: sensores, café y una Raspberry en la lluvia",
        "Medimos humedad y temperatura en una finca cafetera durante dos cosechas. Cuento qué se "
        "dañó, qué se mojó y qué decisiones cambiaron gracias a los datos.",
        "data",
    ),
    Talk(
        "Testing what you do not control",
        "Payment providers, tax offices and the weather all answer differently on Mondays. We "
        "record, replay and contract-test three foreign services, and delete our mocks.",
        "core",
    ),
    Talk(
        "Notebooks que sobreviven a su autor",
        "¿Quién vuelve a ejecutar un cuaderno después de un año? Mostramos convenciones, pruebas "
        "y un pequeño robot que los ejecuta cada noche.",
        "data",
    ),
    Talk(
        "Type hints para convencer a tu jefe",
        "Diez minutos, tres errores reales y una factura. Después de esto nadie dirá que los "
        "tipos son decoración.",
        "core",
        "lightning",
        "beginner",
    ),
    Talk(
        "Mapas abiertos de una ciudad que crece",
        "Con datos públicos y voluntarios trazamos los caminos que no salen en ningún mapa "
        "comercial. Verás cómo limpiamos, cruzamos y publicamos, y quién los usa hoy.",
        "community",
    ),
    Talk(
        "Your first pull request, in Spanish",
        "Open source is written in English, contributors are not. A hands-on session: choose a "
        "project, find a task, write to the maintainers and send it before we leave the room.",
        "community",
        "workshop",
        "beginner",
    ),
    Talk(
        "Dataclasses, attrs, pydantic, msgspec: choosing on purpose",
        "Four libraries for what looks like one job. We compare what they promise, what they "
        "check and what they cost, on one small service.",
        "core",
    ),
    Talk(
        "Lenguas indígenas y Unicode: escribir wayuunaiki en un formulario",
        "Un apóstrofo puede ser una letra. Contamos cómo arreglamos la búsqueda, el orden y los "
        "nombres propios de un registro escolar junto con sus hablantes.",
        "community",
    ),
    Talk(
        "Polars after pandas: a migration diary",
        "Twelve weeks, forty scripts and one stubborn index. The diary says what became faster, "
        "what became clearer, and which three scripts we left alone.",
        "data",
    ),
    Talk(
        "Descorazonando el event loop",
        "Escribimos un bucle de eventos en setenta líneas y lo rompemos de cinco maneras. Al "
        "final entenderás por qué tu servidor se queda callado.",
        "core",
        level="advanced",
    ),
    Talk(
        "A classroom of forty and six computers",
        "Teaching programming where machines are shared. Paper, chalk and short turns made better "
        "programmers than the lab we used to have.",
        "community",
        level="beginner",
    ),
    Talk(
        "Taller: de la hoja de cálculo a la base de datos",
        "Trae la hoja que más te duele. En noventa minutos la convertimos en tablas, consultas y "
        "un informe que se actualiza solo.",
        "data",
        "workshop",
        "beginner",
    ),
    Talk(
        "Packaging is a conversation",
        "Every field in a project file answers a question somebody once asked in despair. We read "
        "one file from top to bottom and hear the questions.",
        "core",
    ),
    Talk(
        "Predecir aguaceros con un modelo de veinte líneas",
        "La regresión más simple del mundo contra el servicio meteorológico. Gana menos veces de "
        "lo que quisiera y más de lo que esperas.",
        "data",
        "lightning",
    ),
)

HARBOUR: tuple[Talk, ...] = (
    Talk(
        "Tide tables from scratch",
        "Predicting the sea with a sum of cosines, a school exercise book from 1911 and a modern "
        "laptop. We compare all three with last week's water.",
        "makers",
        level="beginner",
    ),
    Talk(
        "A ferry timetable that reads itself aloud",
        "Passengers asked for a phone number, not an app. We built one, with speech, and half the "
        "island calls it.",
        "civic",
    ),
    Talk(
        "Soldering for people who write software",
        "Eight kits, eight irons, one hour and a half. You go home with a lamp that shows the "
        "wind.",
        "makers",
        "workshop",
        "beginner",
    ),
    Talk(
        "The council's bus data, one year on",
        "What became of the open data we fought for: three apps, one thesis and an angry letter. "
        "And what we ask for next.",
        "civic",
    ),
    Talk(
        "Naming boats, naming variables",
        "Ten minutes about names that have to last longer than their owners.",
        "makers",
        "lightning",
        "beginner",
    ),
    Talk(
        "Low power, long range, cold hands",
        "Radio sensors on forty buoys through one winter. Batteries, salt and firmware updates "
        "from a rowing boat.",
        "makers",
        level="advanced",
    ),
    Talk(
        "He waka eke noa: running a code club in two languages",
        "Our club teaches in te reo Māori and English, often in one sentence. We share lesson "
        "plans, mistakes and the glossary the children wrote.",
        "civic",
    ),
    Talk(
        "Keeping a museum's website alive for nothing",
        "Volunteers, a static site and a rule about who may phone whom at night. Nine years, no "
        "budget, no downtime worth mentioning.",
        "civic",
    ),
)
