"""Dutch vocabulary."""

from __future__ import annotations

from collections.abc import Iterator

WORDS = """
the = de, het
a = een
and = en, alsmede
or = of
either = ofwel
but = maar, echter
because = omdat, want
if = als, indien
than = dan
of = van
in = in
at = bij, te
to = naar, tot
for = voor
with = met
without = zonder
on = op
from = uit, vanaf, sinds
until = uiterlijk, tot en met, voor
by = door
about = ongeveer, circa, ca, zo'n, bijna, rond
at least = minstens, ten minste, minimaal
at most = hoogstens, maximaal, ten hoogste
up to = tot wel
more than = meer dan, ruim
less than = minder dan
between = tussen
except = behalve, uitgezonderd
instead of = in plaats van
after = na
during = tijdens
every = elke, elk, iedere, ieder
all = alle
only = alleen, slechts, maar liefst
also = ook
still = nog
already = al, reeds
here = hier
there = er, daar
it = hij
you = je, jij, jou, u, jullie, men
we = we, wij, ons
i = ik, mij, me
my = mijn
your = jouw, uw
our = onze
this = dit, deze
that = dat, die
is = is, bedraagt
are = zijn
was = was, werd
were = waren, werden
be = worden, wordt
has = heeft, heb, hebt
have = hebben
there are = er zijn, zijn er
may = mag, mogen
can = kan, kunt, kunnen
must = moet, moeten
need = hoef, hoeft, hoeven, nodig hebben, nodig heeft
should = zou, zouden
will = zal, zult, zullen, wil
who = wie
what = wat
which = welke, welk
when = wanneer
where = waar
why = waarom
how = hoe
how many = hoeveel
how much = wat kost
how long = hoe lang
at what time = hoe laat
yes = ja, jawel, ja hoor, jazeker
no = nee, neen, geen
not = niet
never = nooit
nobody = niemand
nothing = niets
neither = noch
no longer = niet meer
not only = niet alleen
under no circumstances = in geen geval, zeker niet, absoluut niet
of course = natuurlijk, uiteraard, zeker, vanzelfsprekend
no problem = geen probleem, geen punt
sadly = helaas, jammer genoeg
perhaps = misschien, mogelijk, wellicht
probably = waarschijnlijk, vermoedelijk
i think = ik denk, ik geloof
i am not sure = ik weet het niet zeker, ik ben niet zeker
i do not know = dat weet ik niet, dat weet ik helaas niet, ik weet het niet, weet ik niet, geen idee
sorry = sorry, het spijt me
hello = hallo, goedemorgen, goedendag, dag allemaal
thank you = bedankt, dank je, dank u
the answer is = het antwoord is, het juiste antwoord is
please = alstublieft, alsjeblieft, graag
open = open, geopend
closed = gesloten, dicht
allowed = toegestaan, toegelaten
forbidden = verboden
possible = mogelijk
impossible = onmogelijk
necessary = nodig, noodzakelijk, vereist
mandatory = verplicht
optional = optioneel, vrijwillig
free = gratis, kosteloos
included = inbegrepen, inclusief
covered = gedekt, vergoed
available = beschikbaar, verkrijgbaar
true = waar is, klopt, juist
false = onjuist, onwaar
day = dag
days = dagen
week = week
weeks = weken
month = maand
months = maanden
year = jaar
years = jaren
hour = uur, uren
minute = minuut
minutes = minuten
second = seconde
seconds = seconden
metre = meter
kilometre = kilometer
gram = gram
kilo = kilogram
tonne = ton
litre = liter
percent = procent
degrees = graden
euro = euro, euro's
per year = per jaar, jaarlijks
per month = per maand, maandelijks
per week = per week, wekelijks
per day = per dag, dagelijks
half a year = een half jaar, half jaar
half an hour = een half uur, half uur
an hour and a half = anderhalf uur
and a half = en een half
half = halve
dozen = dozijn
hundred = honderd
thousand = duizend
million = miljoen
billion = miljard
once = eenmaal, één keer
twice = tweemaal, twee keer
january = januari
february = februari
march = maart
april = april
may = mei
june = juni
july = juli
august = augustus
september = september
october = oktober
november = november
december = december
monday = maandag, maandags
tuesday = dinsdag, dinsdags
wednesday = woensdag, woensdags
thursday = donderdag, donderdags
friday = vrijdag, vrijdags
saturday = zaterdag, zaterdags
sunday = zondag, zondags
mr = heer, meneer, dhr
mrs = mevrouw, mevr
"""
ORDINALS = "eerste tweede derde vierde vijfde zesde zevende achtste negende tiende elfde twaalfde"
_ONES = (
    "nul één twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien "
    "achttien negentien"
)
_TENS = "twintig dertig veertig vijftig zestig zeventig tachtig negentig"


def numbers() -> Iterator[tuple[str, float]]:
    """Yield number words and their values; `een` without accents is an article."""
    below = {value: _below_hundred(value) for value in range(100)}
    yield from ((word, value) for value, word in below.items())
    for times in range(1, 10):
        hundred = f"{'' if times == 1 else below[times]}honderd"
        yield hundred, times * 100
        yield from ((f"{hundred}{below[value]}", times * 100 + value) for value in range(1, 100))
    yield from ((f"{below[times]}duizend", times * 1000) for times in (*range(2, 21), *range(30, 100, 10)))
    yield from ((f"{below[times]}honderd", times * 100) for times in range(11, 20))
    yield from (("anderhalf", 1.5), ("anderhalve", 1.5), ("tweeënhalf", 2.5), ("drieënhalf", 3.5))


def ordinals() -> Iterator[tuple[str, int]]:
    """Yield ordinal words and their values."""
    yield from ((word, value) for value, word in enumerate(ORDINALS.split(), 1))


def _below_hundred(value: int) -> str:
    if value < 20:
        return _ONES.split()[value]
    tens, one = _TENS.split()[value // 10 - 2], value % 10
    if not one:
        return tens
    return f"een{'en'}{tens}" if one == 1 else f"{_ONES.split()[one]}{'ën' if one in (2, 3) else 'en'}{tens}"
