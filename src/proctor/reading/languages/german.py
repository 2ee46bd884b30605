"""German vocabulary."""

from __future__ import annotations

from collections.abc import Iterator

WORDS = """
the = der, die, das, den, dem, des
a = ein, eine, einen, einem, einer, eines
and = und, sowie
or = oder
either = entweder
but = aber, sondern, jedoch, doch
because = weil, denn, da
if = wenn, falls
than = als
of = von, vom
in = in, im, ins
at = am, an, ans, bei, beim
to = zu, zum, zur, nach
for = für
with = mit, mitsamt
without = ohne
on = auf, aufs
from = ab, aus, seit
until = bis, bis zum, bis zur, bis spätestens, spätestens
by = durch
about = etwa, rund, ungefähr, circa, ca, zirka, knapp, fast
at least = mindestens, wenigstens
at most = höchstens, maximal
up to = bis zu
more than = mehr als, über
less than = weniger als, unter
between = zwischen
except = außer, ausgenommen
instead of = statt, anstatt, anstelle von
before = vor
after = danach
during = während
every = jede, jeder, jedes, jeden
all = alle, allen, aller
only = nur, lediglich, bloß
also = auch, ebenfalls
still = noch
already = schon, bereits
here = hier
there = dort
it = es
you = du, dich, dir, sie, ihr, ihnen, man
we = wir, uns
i = ich, mich, mir
he = er
my = mein, meine, meinen, meinem, meiner
your = dein, deine, deinen, deinem, deiner, ihre, ihren, ihrem, ihrer
our = unser, unsere, unseren, unserem, unserer
this = dies, diese, dieser, dieses, diesen, diesem
that = dass
is = ist, beträgt, lautet
are = sind, seid
was = war, wurde
were = waren, wurden
be = sein, werden, wird, bin
has = hat, habe, hast
have = haben, habt
there is = es gibt, gibt es
may = darf, darfst, dürfen, dürft
can = kann, kannst, können, könnt
must = muss, musst, müssen, müsst
should = soll, sollst, sollen, sollte, sollten
will = will, willst, wollen
need = brauche, brauchst, braucht, brauchen, benötige, benötigst, benötigt, benötigen
who = wer, wen, wem
what = was
which = welche, welcher, welches, welchen, welchem
when = wann
where = wo, wohin, woher
why = warum, weshalb, wieso
how = wie
how many = wie viele, wieviele
how much = wie viel, wieviel
how long = wie lange
at what time = um wie viel uhr, um wieviel uhr
yes = ja, jawohl, jep
no = nein, nö, kein, keine, keinen, keinem, keiner, keines
not = nicht
never = nie, niemals
nobody = niemand
nothing = nichts
neither = weder
no longer = nicht mehr
not only = nicht nur
under no circumstances = auf keinen fall, keinesfalls, keineswegs
of course = natürlich, klar, selbstverständlich, na klar, sicher, ja klar, auf jeden fall, gerne
certainly = bestimmt, gewiss
no problem = kein problem, keine sorge
sadly = leider, bedauerlicherweise
perhaps = vielleicht, eventuell, möglicherweise
probably = wahrscheinlich, vermutlich
i think = ich glaube, ich denke
i am not sure = ich bin mir nicht sicher, ich bin nicht sicher
i do not know = das weiß ich nicht, das weiß ich leider nicht, ich weiß es nicht, ich weiß nicht, weiß ich nicht
i do not know = keine ahnung, dazu habe ich keine informationen, das kann ich nicht sagen
sorry = entschuldigung, tut mir leid
hello = hallo, guten tag, guten morgen, hi
thank you = danke, vielen dank, danke schön
the answer is = die antwort ist, die antwort lautet, die richtige antwort ist, die richtige antwort lautet
please = bitte
open = offen, geöffnet, auf haben
closed = geschlossen, zu ist, ist zu
allowed = erlaubt, gestattet, zulässig, zugelassen
forbidden = verboten, untersagt, unzulässig
possible = möglich
impossible = unmöglich
necessary = nötig, notwendig, erforderlich
mandatory = pflicht, verpflichtend, obligatorisch, vorgeschrieben
optional = freiwillig, optional
free = kostenlos, gratis, kostenfrei, umsonst
included = enthalten, inbegriffen, inklusive
covered = gedeckt, abgedeckt
available = verfügbar, erhältlich
true = wahr, stimmt, richtig
false = falsch, unwahr
day = tag
days = tage, tagen, tages
week = woche
weeks = wochen
month = monat, monats
months = monate, monaten
year = jahr, jahres
years = jahre, jahren
hour = stunde
hours = stunden
minute = minute
minutes = minuten
second = sekunde
seconds = sekunden
metre = meter, metern
kilometre = kilometer, kilometern
gram = gramm
kilo = kilogramm
tonne = tonne, tonnen
litre = liter, litern
percent = prozent
degrees = grad
euro = euro, euros
per year = pro jahr, im jahr, jährlich, je jahr
per month = pro monat, im monat, monatlich, je monat
per week = pro woche, in der woche, wöchentlich
per day = pro tag, am tag, täglich
per person = pro person
half = halb, halbe, halber, halbes, halben
half a year = ein halbes jahr, halbes jahr
half an hour = eine halbe stunde, halbe stunde
an hour and a half = eineinhalb stunden, anderthalb stunden
and a half = und eine halbe, und ein halbes, und einhalb
dozen = dutzend
thousand = tausend
million = million, millionen, mio
billion = milliarde, milliarden, mrd
once = einmal
twice = zweimal
january = januar, jänner
february = februar, feber
march = märz
april = april
may = mai
june = juni
july = juli
august = august
september = september
october = oktober
november = november
december = dezember
monday = montag, montags
tuesday = dienstag, dienstags
wednesday = mittwoch, mittwochs
thursday = donnerstag, donnerstags
friday = freitag, freitags
saturday = samstag, samstags, sonnabend, sonnabends
sunday = sonntag, sonntags
mr = herr, herrn
mrs = frau
"""
ORDINALS = "erst zweit dritt viert fünft sechst siebt acht neunt zehnt elft zwölft"
_ONES = (
    "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn "
    "siebzehn achtzehn neunzehn"
)
_TENS = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig"


def numbers() -> Iterator[tuple[str, float]]:
    """Yield number words and their values; `ein` alone is an article."""
    below = {value: _below_hundred(value) for value in range(100)}
    yield from ((word, value) for value, word in below.items())
    for times in range(1, 10):
        hundred = f"{'' if times == 1 else below[times]}hundert"
        for value in range(100):
            tail = below[value] if value else ""
            for word in {hundred + tail, f"{hundred}und{tail}", f"ein{hundred}{tail}"}:
                yield word, times * 100 + value
    for times in (*range(1, 21), *range(30, 101, 10)):
        before = "ein" if times == 1 else below.get(times, "hundert")
        yield f"{before}tausend", times * 1000
        yield from ((f"{before}tausend{below[h]}hundert", times * 1000 + h * 100) for h in range(2, 10))
    yield from ((f"tausend{below[h]}hundert", 1000 + h * 100) for h in range(2, 10))
    yield from ((f"{below[times]}hundert", times * 100) for times in range(11, 20))
    yield from (("anderthalb", 1.5), ("eineinhalb", 1.5), ("zweieinhalb", 2.5), ("dreieinhalb", 3.5))


def ordinals() -> Iterator[tuple[str, int]]:
    """Yield ordinal words with their endings, and their values."""
    for value, stem in enumerate(ORDINALS.split(), 1):
        yield from ((stem + ending, value) for ending in ("e", "en", "er", "es", "em"))


def _below_hundred(value: int) -> str:
    if value < 20:
        return _ONES.split()[value]
    tens, one = _TENS.split()[value // 10 - 2], value % 10
    return tens if not one else f"{'ein' if one == 1 else _ONES.split()[one]}und{tens}"
