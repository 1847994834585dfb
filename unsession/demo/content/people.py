"""Names of many scripts and cultures, and the parts of which short biographies are made."""
# ruff: noqa: RUF001  (letters of other scripts that look like Latin ones: that is the point)

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Culture:
    """How names are made somewhere: the parts with their Latin spelling, and their order."""

    given: tuple[tuple[str, str], ...]
    family: tuple[tuple[str, str], ...]
    order: str = "{given} {family}"


def _words(text: str) -> tuple[tuple[str, str], ...]:
    """``native/latin, native/latin``; a name in Latin letters stands for itself."""
    pairs = (word.strip().partition("/") for word in text.split(","))
    return tuple((native, latin or native) for native, _, latin in pairs)


CULTURES: tuple[Culture, ...] = (
    Culture(
        _words("Inês, João, Catarina, Nuno, Conceição, Duarte, Mafalda, Gonçalo, Rita, Tomé"),
        _words("Assunção, Brandão, Falcão, Magalhães, Simões, Vasconcelos, Leitão, Quintã, Sá"),
    ),
    Culture(
        _words("Lucía, Andrés, Ximena, Joaquín, Belén, Íñigo, Rocío, Matías, Yolanda, Agustín"),
        _words("Ibáñez, Peña Nieto Ruiz, Muñoz, Echeverría, Güemes, Ordóñez, Zúñiga, Cáceres"),
    ),
    Culture(
        _words(
            "Дмитро/dmytro, Оксана/oksana, Богдан/bohdan, Соломія/solomiia, Тарас/taras, "
            "Леся/lesia, Юрій/yurii, Зоряна/zoriana, Остап/ostap"
        ),
        _words(
            "Шевчук/shevchuk, Коваленко/kovalenko, Гнатюк/hnatiuk, Мельник/melnyk, "
            "Їжакевич/yizhakevych, Бондар/bondar, Кравець/kravets"
        ),
    ),
    Culture(
        _words(
            "Παναγιώτα/panagiota, Νίκος/nikos, Ελένη/eleni, Στέλιος/stelios, Δάφνη/dafni, "
            "Αχιλλέας/achilleas, Ιωάννα/ioanna, Θάνος/thanos"
        ),
        _words(
            "Παπανικολάου/papanikolaou, Οικονόμου/oikonomou, Ζαχαρίου/zachariou, "
            "Γεωργίου/georgiou, Χατζηδημητρίου/chatzidimitriou, Αλεξάνδρου/alexandrou"
        ),
    ),
    Culture(
        _words(
            "أمينة/amina, يوسف/youssef, ليلى/layla, طارق/tariq, هدى/huda, سامي/sami, "
            "زينب/zaynab, فادي/fadi, رنا/rana"
        ),
        _words(
            "المصري/almasri, الخطيب/alkhatib, بن يحيى/benyahia, حمدان/hamdan, النجار/alnajjar, "
            "الشريف/alsharif, قاسم/qasim"
        ),
    ),
    Culture(
        _words(
            "伟/wei, 雪/xue, 建国/jianguo, 欣怡/xinyi, 子涵/zihan, 明/ming, 晓燕/xiaoyan, "
            "浩然/haoran, 静/jing, 诗涵/shihan"
        ),
        _words(
            "张/zhang, 王/wang, 李/li, 欧阳/ouyang, 陈/chen, 黄/huang, 司马/sima, 林/lin, 周/zhou"
        ),
        "{family}{given}",
    ),
    Culture(
        _words(
            "さくら/sakura, 大輔/daisuke, 美咲/misaki, 翔太/shota, 陽子/yoko, 蓮/ren, "
            "ひかり/hikari, 健二/kenji, 真央/mao"
        ),
        _words(
            "佐藤/sato, 高橋/takahashi, 渡辺/watanabe, 長谷川/hasegawa, 小林/kobayashi, "
            "五十嵐/igarashi, 森/mori, 勅使河原/teshigawara"
        ),
        "{family} {given}",
    ),
    Culture(
        _words(
            "서연/seoyeon, 민준/minjun, 지우/jiwoo, 하은/haeun, 도윤/doyun, 수빈/subin, "
            "현우/hyunwoo, 예린/yerin"
        ),
        _words("김/kim, 이/lee, 박/park, 최/choi, 남궁/namgung, 황보/hwangbo, 정/jung, 윤/yoon"),
        "{family}{given}",
    ),
    Culture(
        _words(
            "आरती/aarti, रोहन/rohan, सुनीता/sunita, विवेक/vivek, प्रियंका/priyanka, "
            "अर्जुन/arjun, काव्या/kavya, नीरज/neeraj"
        ),
        _words(
            "शर्मा/sharma, त्रिपाठी/tripathi, जोशी/joshi, चतुर्वेदी/chaturvedi, मिश्रा/mishra, "
            "गुप्ता/gupta, राठौड़/rathore"
        ),
    ),
    Culture(
        _words(
            "ሰላም/selam, ዳዊት/dawit, ትዕግስት/tigist, አበበ/abebe, ሀና/hana, ዮናስ/yonas, "
            "መስከረም/meskerem, ብሩክ/biruk"
        ),
        _words(
            "ተስፋዬ/tesfaye, ገብረማርያም/gebremariam, ኃይሉ/hailu, መኮንን/mekonnen, አለሙ/alemu, "
            "ወልደሚካኤል/woldemichael"
        ),
    ),
    Culture(
        _words(
            "สมชาย/somchai, กนกวรรณ/kanokwan, ณัฐพล/nattapon, พิมพ์ชนก/pimchanok, ธนา/thana, "
            "วรัญญา/waranya, อนันต์/anan"
        ),
        _words(
            "ศรีสุวรรณ/srisuwan, วงศ์ไทย/wongthai, พงษ์พิพัฒน์/pongpipat, รัตนโกสินทร์/rattanakosin, "
            "แก้วมณี/kaewmanee, จันทร์ดี/chandee"
        ),
    ),
    Culture(
        _words(
            "נועה/noa, איתן/eitan, תמר/tamar, עומר/omer, שירה/shira, גיל/gil, יעל/yael, רועי/roi"
        ),
        _words(
            "לוי/levi, בן־דוד/bendavid, שפירא/shapira, מזרחי/mizrahi, אברמוביץ׳/abramovich, "
            "פרידמן/friedman"
        ),
    ),
    Culture(
        _words("Chiamaka, Tunde, Ngozi, Oluwaseun, Adaeze, Babátúndé, Ìfẹ́olúwa, Kelechi, Yétúndé"),
        _words("Okonkwo, Adébáyọ̀, Eze, Ọláńrewájú, Nwosu, Balogun, Ogunleye, Chukwuemeka"),
    ),
    Culture(
        _words("Thu Hà, Đức Anh, Quỳnh Như, Minh Khôi, Bảo Ngọc, Hữu Phước, Thùy Dương, Văn Lộc"),
        _words("Nguyễn, Trần, Phạm, Đặng, Võ, Lê, Bùi, Huỳnh"),
        "{family} {given}",
    ),
    Culture(
        _words("Żaneta, Łucja, Grzegorz, Świętosława, Bartłomiej, Michał, Zdzisława, Ignacy"),
        _words("Brzęczyszczykiewicz, Wąsik, Żak, Kłos, Świder, Dąbek, Jóźwiak, Ćwikła"),
    ),
    Culture(
        _words("Þórdís, Æsa, Ragnheiður, Hrafnhildur, Birna, Guðrún"),
        _words("Kristjánsdóttir, Ásgeirsdóttir, Bjarnadóttir, Þorvaldsdóttir"),
    ),
    Culture(
        _words("Guðmundur, Snæbjörn, Óðinn, Þorgeir, Ísak, Hákon"),
        _words("Sigurðsson, Hafþórsson, Þorvaldsson, Jökulsson"),
    ),
    Culture(
        _words("Nilüfer, Çağatay, Gülşah, Oğuzhan, İpek, Şükrü, Ebru, Tuğba"),
        _words("Yıldırım, Öztürk, Çelik, Karaoğlu, Güneş, Şahin, Aydın, Işık"),
    ),
    Culture(
        _words(
            "அன்பு/anbu, மீனாட்சி/meenakshi, கார்த்திக்/karthik, தமிழ்ச்செல்வி/tamilselvi, "
            "இளங்கோ/ilango, வள்ளி/valli"
        ),
        _words("சுப்பிரமணியன்/subramanian, முருகன்/murugan, ராமசாமி/ramasamy, நடராஜன்/natarajan"),
    ),
    Culture(
        _words("ნინო/nino, გიორგი/giorgi, თამარ/tamar, ლევან/levan, ქეთევან/ketevan, ზურაბ/zurab"),
        _words("ბერიძე/beridze, კაპანაძე/kapanadze, გელაშვილი/gelashvili, წერეთელი/tsereteli"),
    ),
    Culture(
        _words("Անահիտ/anahit, Տիգրան/tigran, Լուսինե/lusine, Արամ/aram, Նարե/nare, Վահան/vahan"),
        _words("Սարգսյան/sargsyan, Հակոբյան/hakobyan, Գրիգորյան/grigoryan, Պետրոսյան/petrosyan"),
    ),
    Culture(
        _words("نسرین/nasrin, کاوه/kaveh, شیرین/shirin, آرش/arash, پریسا/parisa, سهراب/sohrab"),
        _words("رستمی/rostami, فرهادی/farhadi, یزدانی/yazdani, کریمی/karimi, شمس/shams"),
    ),
    Culture(
        _words("Siobhán, Cillian, Gráinne, Oisín, Niamh, Rhys, Angharad, Llŷr, Ciarán, Dafydd"),
        _words("O'Shaughnessy, Llewellyn, O'Dea, MacSweeney, Prydderch, Brennan, Penhaligon"),
    ),
    Culture(
        _words("Mere, Tāne, Hinemoa, Wiremu, Ngaio, Rāwiri, Aroha, Kahurangi"),
        _words("Ngata, Tūhoe-Pōmare, Parata, Te Rangihīroa, Whaanga, Hēnare"),
    ),
    Culture(
        _words("Jürgen, Änne, Götz, Friederike, Björn, Käthe, Sönke, Mechthild"),
        _words("Großmann, Müller-Lüdenscheidt, von der Tann, Weiß, Schäfer, Übelacker, Groß"),
    ),
    Culture(
        _words("Anaïs, Loïc, Maëlle, François-Xavier, Zoé, Gaël, Aïcha, Théo, Noëlle"),
        _words("Lefèvre, Benoît, Le Goff, Dubœuf, Traoré, Hénin, d'Aubigné, Çabrié"),
    ),
    Culture(
        _words("Efua, Kofi, Abena, Kwabena, Zanele, Sipho, Nomvula, Thabo, Wanjiru, Otieno"),
        _words("Mensah, Boateng, Dlamini, Nkosi, Kamau, Achieng, Asante, Mokoena"),
    ),
    Culture(
        _words("Prasetyo, Suharti, Wulandari, Bambang, Kusuma, Sutrisno, Melati, Teguh"),
        (("", ""),),
        "{given}",
    ),
)

#: Who a person works for, and the domain of the address that comes with it.
COMPANIES: tuple[tuple[str, str], ...] = (
    ("Kestrel Labs", "kestrel.example"),
    ("Ferrovia Norte", "ferrovia.example"),
    ("Saltmarsh Systems", "saltmarsh.example"),
    ("Quince & Medlar", "quince.example"),
    ("Tidewater Bank", "tidewater.example"),
    ("Observatory Nine", "observatory.example"),
    ("Lantern Health", "lantern.example"),
    ("Paper Boat Games", "paperboat.example"),
    ("City Archive of Varga", "archive.example"),
    ("Almanac Weather", "almanac.example"),
    ("Brightwater Energy", "brightwater.example"),
    ("Cooperativa Telar", "telar.example"),
    ("Northern Lights Library", "library.example"),
    ("Graphite Maps", "graphite.example"),
    ("Sundial Logistics", "sundial.example"),
    ("Oru Mobility", "oru.example"),
    ("Juniper Street School", "juniper.example"),
    ("Halyard Robotics", "halyard.example"),
)

#: Where people without an employer on their badge read their mail.
DOMAINS = ("example.org", "example.net", "example.com", "mail.example")

JOBS = (
    "Software engineer", "Staff engineer", "Site reliability engineer", "Data engineer",
    "Research engineer", "Front-end developer", "Security analyst", "Engineering manager",
    "Developer advocate", "Database administrator", "Technical writer", "Product engineer",
    "Accessibility lead", "Platform engineer", "Principal scientist", "Test engineer",
)  # fmt: skip

#: First sentences of a biography; ``{topic}`` and ``{place}`` are filled in.
WORKS_ON = (
    "Works on {topic} {place}.",
    "Has looked after {topic} for nine years, the last three of them {place}.",
    "Spends most days with {topic} {place}.",
    "Came to {topic} by accident and stayed; now {place}.",
    "Works in a small team for {topic} {place}.",
    "Writes, breaks and mends {topic} {place}.",
    "Builds tools for {topic} {place}.",
)
TOPICS = (
    "storage engines", "build systems", "payment software", "design systems", "data pipelines",
    "embedded devices", "map rendering", "search", "sign-in and permissions", "hospital software",
    "timetables", "compilers", "observability", "speech recognition", "public-sector websites",
    "message queues", "test infrastructure", "game servers", "scientific computing", "archives",
)  # fmt: skip
ON_THE_SIDE = (
    "Organises the local user group and brews too much coffee for it.",
    "Used to teach physics and still draws diagrams on everything.",
    "Maintains a small open-source library that more people use than expected.",
    "Sings in a choir, keeps bees, answers bug reports in that order.",
    "Learnt to program on a machine that was older than the teacher.",
    "Writes a newsletter about things that went wrong.",
    "Lives in a village with slow internet, and designs for it.",
    "Mentors people who change careers, having done so twice.",
    "Speaks four languages and mixes up the keyboards of all of them.",
    "Repairs bicycles on Saturdays.",
    "Translated two programming books and found errata in both.",
    "Is happiest with a failing test and a quiet afternoon.",
    "Once deleted a production table and has given talks about it since.",
    "Collects railway timetables from before 1960.",
)
