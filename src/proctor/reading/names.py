"""Equivalent names: short forms, nicknames, titles, nationalities and places."""

from __future__ import annotations

import re

from proctor.reading.text.lazy import lazy
from proctor.reading.text.overlap import STOP
from proctor.reading.text.words import stem, stem_set

_NICKNAMES = """
william bill will billy liam willy | robert bob bobby rob bert robbie | richard dick rick ricky rich
john jack johnny jon | james jim jimmy jamie
charles charlie chuck | edward ed eddie ted ned teddy | theodore ted teddy theo | thomas tom tommy
michael mike mick mickey | david dave davy
daniel dan danny | joseph joe joey | anthony tony | alexander alex sandy al sasha | alexandra alex sandra
elizabeth liz beth betty lizzie bess eliza betsy
margaret maggie meg peggy madge | katherine catherine kate kathy cathy katie kitty | susan sue susie
patricia pat patty tricia | patrick pat paddy
christopher chris kit | christine chris tina | matthew matt | andrew andy drew | benjamin ben benny
samuel sam sammy | nicholas nick nicky | peter pete
stephen steven steve | timothy tim | gregory greg | jeffrey geoffrey jeff geoff | lawrence laurence larry
raymond ray | ronald ron ronnie | donald don donnie
kenneth ken kenny | gerald jerry gerry | frederick fred freddie freddy | francis frank frankie | franklin frank
henry harry hank hal | harold harry hal | albert al bert
alfred alf fred | arthur art | walter walt wally | leonard len lenny leo | nathaniel nathan nate nat | philip phil
victoria vicky tori | deborah debbie deb
jennifer jen jenny | jessica jess jessie | rebecca becky | barbara barb babs | dorothy dot dolly
eleanor nell ellie nora | helen nell | abigail abby | amanda mandy
judith judy | pamela pam | sandra sandy | teresa theresa terry tess | zachary zach zack | joshua josh | jonathan jon
maximilian max | sebastian seb | isabella bella izzy
ludwig louis | wilhelm bill | ulysses sam | abraham abe | calvin cal | dwight ike | vincent vince vinny
eugene gene | augustus gus | clifford cliff | ernest ernie
"""
_PEOPLES = """
france french frenchman frenchwoman | germany german | italy italian | spain spanish spaniard | portugal portuguese
netherlands dutch holland dutchman | belgium belgian
poland polish pole | england english englishman | scotland scottish scot scots scotsman | wales welsh welshman
ireland irish irishman | switzerland swiss | austria austrian
denmark danish dane | sweden swedish swede | norway norwegian | finland finnish finn | iceland icelandic icelander
greece greek | turkey turkish turk türkiye turkiye | russia russian
ukraine ukrainian | hungary hungarian | romania romanian | bulgaria bulgarian | czechia czech | slovakia slovak
slovenia slovenian slovene | croatia croatian croat | serbia serbian serb
china chinese | japan japanese | korea korean | india indian | pakistan pakistani | bangladesh bangladeshi
vietnam vietnamese | thailand thai siam | indonesia indonesian | malaysia malaysian
philippines filipino philippine | australia australian | canada canadian | mexico mexican | brazil brazilian
argentina argentine argentinian | chile chilean | peru peruvian
colombia colombian | venezuela venezuelan | cuba cuban | egypt egyptian | morocco moroccan | algeria algerian
tunisia tunisian | nigeria nigerian | kenya kenyan | ghana ghanaian
ethiopia ethiopian | israel israeli | iran iranian persia persian | iraq iraqi | syria syrian | lebanon lebanese
jordan jordanian | afghanistan afghan | nepal nepalese nepali
europe european | africa african | asia asian | bavaria bavarian | sicily sicilian | corsica corsican
macedonia macedonian | rome roman | athens athenian | sparta spartan
"""
_PLACES = """
ghent gent gand | munich munchen | cologne koln | vienna wien | prague praha | warsaw warszawa | lisbon lisboa
florence firenze | venice venezia | milan milano | naples napoli | turin torino
rome roma | geneva geneve genf | zurich zuerich | brussels brussel bruxelles | antwerp antwerpen | bruges brugge
hague haag | copenhagen kobenhavn | gothenburg goteborg | moscow moskva
athens athina | bucharest bucuresti | belgrade beograd | seville sevilla | nuremberg nurnberg | beijing peking
mumbai bombay | kolkata calcutta | chennai madras | myanmar burma | kyiv kiev
santa sta | saint st sankt
constantinople istanbul byzantium | basel basle bale | mainz mayence | aachen aix | netherland holland
thailand siam | iran persia | sri ceylon | tokyo edo | oslo christiania
postgresql postgre | go golang | kubernetes k8s | javascript js | typescript ts | football soccer | lorry truck
petrol gasoline | aluminium aluminum | sulphur sulfur | autumn fall | lift elevator
"""
_ALIASES = """
co2: carbon dioxide | h2o: water | nacl: sodium chloride | o2: oxygen | n2: nitrogen | h2so4: sulphuric acid
hcl: hydrochloric acid | nh3: ammonia | ch4: methane | ch3cooh: acetic acid
ethanoic acid: acetic acid | ascorbic acid: vitamin c | forex: foreign exchange | fx: foreign exchange
nyc: new york city | vit: vitamin | postgres: postgresql | k8s: kubernetes
wwi: first world war | wwii: second world war | ww1: first world war | ww2: second world war
world war i: first world war | world war ii: second world war | world war 1: first world war
world war 2: second world war | world war one: first world war | world war two: second world war | tv: television
ai: artificial intelligence | eu: european union
jfk: john f kennedy | fdr: franklin d roosevelt | mlk: martin luther king | lbj: lyndon b johnson
e = mc^2: mass energy equivalence | vat: value added tax
n2o: nitrous oxide | h2o2: hydrogen peroxide | acetaminophen: paracetamol | epinephrine: adrenaline
albuterol: salbutamol
ceo: chief executive officer | cfo: chief financial officer | cto: chief technology officer
gp: general practitioner | dna: deoxyribonucleic acid
"""
_STATES = """
alabama al | alaska ak | arizona az | arkansas ar | california ca calif | colorado co | connecticut ct | delaware de
florida fl | georgia ga | hawaii hi | idaho id | illinois il | indiana in
iowa ia | kansas ks | kentucky ky | louisiana la | maine me | maryland md | massachusetts ma | michigan mi
minnesota mn | mississippi ms | missouri mo | montana mt | nebraska ne | nevada nv
oregon or | pennsylvania pa | tennessee tn | texas tx | utah ut | vermont vt | virginia va | washington wa
wisconsin wi | wyoming wy | ohio oh | oklahoma ok
"""
TITLES: frozenset[str] = stem_set(
    "mr mrs ms miss mx dr doctor prof professor sir dame lord lady king queen prince princess emperor pope saint"
    " st general gen colonel "
    "col captain capt major lieutenant lt sergeant sgt admiral president pres senator sen governor gov chancellor"
    " minister rev reverend "
    "father sister brother bishop cardinal archbishop judge justice count countess duke duchess baron m mme herr"
    " frau signor hms uss ss fc ag gmbh inc ltd plc llc kg nv corp"
)
"""Stems of titles, which may be omitted."""


def _groups(*tables: str) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for number, entry in enumerate("|".join(table.strip().replace("\n", "|") for table in tables).split("|")):
        for word in entry.split():
            found.setdefault(stem(word), set()).add(str(number))
    return {word: frozenset(numbers) for word, numbers in found.items()}


_GROUPS = _groups(_NICKNAMES, _PEOPLES, _PLACES)
_POSTAL = {
    short: name
    for entry in _STATES.replace("\n", "|").split("|")
    if entry.strip()
    for name, *shorts in [entry.split()]
    for short in shorts
}
_ALIAS = {
    alias.strip(): name.strip()
    for entry in _ALIASES.replace("\n", "|").split("|")
    if entry.strip()
    for alias, _, name in [entry.partition(":")]
}
_ALIAS_PATTERN = lazy(rf"(?<![\w^])(?:{'|'.join(sorted(map(re.escape, _ALIAS), key=len, reverse=True))})\b\.?")
_POSTAL_PATTERN = lazy(rf"(?:^|(?<=, ))(?:{'|'.join(_POSTAL).upper()})(?=[\s.,!]|$)")


def are_one(one: str, other: str) -> bool:
    """Whether two stems may name the same person, nationality or place."""
    groups = _GROUPS.get(one)
    if groups is not None and not groups.isdisjoint(_GROUPS.get(other, ())):
        return True
    return len(one) != len(other) and min(len(one), len(other)) >= _LEAST_NAME and _plain(one) == _plain(other)


def _plain(name: str) -> str:
    """Return a name with transcribed umlauts as one letter: Söhne, Soehne."""
    return name.replace("ae", "a").replace("oe", "o").replace("ue", "u")


def plain_names(text: str) -> str:
    """Return a text with abbreviations expanded: CO2, NYC, `Seattle, WA`."""
    text = _POSTAL_PATTERN.sub(lambda match: _POSTAL[match[0].lower()], text.translate(_SUBSCRIPTS))
    text = _NUMERAL.sub(_numbered, text) if " the " in text else text
    text = _CODE.sub(r"\1\2", text) if "-" in text else text
    text = _VERSION.sub("", text) if "v" in text or "V" in text else text
    if not _ALIAS.keys() & set(_WORD.findall(text.lower())) and " acid" not in text and "orld " not in text:
        return text
    return _ALIAS_PATTERN.sub(lambda match: _ALIAS[match[0].rstrip(".").lower()], text.lower())


def _numbered(match: re.Match[str]) -> str:
    """Rewrite Henry the Eighth as Henry VIII, but not the stop word of `On the first Monday`."""
    return match[0] if match[1].lower() in STOP else f"{match[1]} {_NUMERALS[match[2].lower()]}"


_WORD = lazy(r"\w+")
_LEAST_NAME = 4
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_NUMERALS = {
    "first": "I", "second": "II", "third": "III", "fourth": "IV", "fifth": "V", "sixth": "VI", "seventh": "VII",
    "eighth": "VIII", "ninth": "IX", "tenth": "X",
}  # fmt: skip
_NUMERAL = lazy(rf"\b([A-Z][\w'-]+),? the ((?i:{'|'.join(_NUMERALS)}))\b(?!-| [a-z]+[ .,])")
_CODE = lazy(r"\b([A-Z]{1,2})-(\d{1,4})\b")
_VERSION = lazy(r"[vV](?<![\w.-][vV])\.? ?(?=\d{1,5}\.\d)")
_SIGNED_CODE = lazy(r"\b(?:[A-Z]{1,3}\d{1,4}[A-Z]?|\d{1,3}[A-Z])\b")


def codes(text: str) -> list[str]:
    """Return the codes in a text in order: A12, 4B."""
    return _SIGNED_CODE.findall(text)
