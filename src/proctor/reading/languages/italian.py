"""Italian vocabulary."""

from __future__ import annotations

from collections.abc import Iterator

WORDS = """
the = il, lo, la, gli, le, i, l'
a = un, una, uno, un'
and = e, ed
or = o, oppure
but = ma, bensì, però
because = perché, poiché
if = se
than = di quanto
of = di, del, dello, della, dei, degli, delle, dell', d'
in = in, nel, nello, nella, nei, negli, nelle, nell'
at = a, al, allo, alla, ai, agli, alle, all'
to = verso
for = per
with = con, col
without = senza
on = su, sul, sullo, sulla, sui, sugli, sulle, sull'
from = da, dal, dallo, dalla, dai, dagli, dalle, dall'
until = fino a, fino al, fino alla, entro, entro il
about = circa, quasi, all'incirca
at least = almeno, come minimo
at most = al massimo, al più
more than = più di, oltre
less than = meno di
between = tra, fra
except = tranne, eccetto, salvo
instead of = invece di, anziché
before = prima
after = dopo
during = durante
every = ogni
all = tutti, tutte, tutto, tutta
only = solo, soltanto, solamente
also = anche, pure
still = ancora
already = già
here = qui
there = ci, c', vi
it = esso, essa
you = tu, ti, voi, lei
we = noi
i = io, mi
my = mio, mia, miei, mie
your = tuo, tua, tuoi, tue, suo, sua
our = nostro, nostra, nostri, nostre
this = questo, questa, questi, queste
that = che, quello, quella
is = è
are = sono
was = era, è stato, è stata, fu
were = erano, sono stati, sono state
be = essere
has = ha, ho, hai
have = hanno, abbiamo, avete
there is = c'è
there are = ci sono
can = può, possono, puoi, posso, potete, possiamo, si può
must = deve, devono, devi, devo, dovete, bisogna, occorre, dobbiamo
need = bisogno, serve, servono
who = chi
what = cosa, che cosa
which = quale, quali, qual
when = quando
where = dove
why = come mai
how = come
how many = quanti, quante
how much = quanto, quanta
at what time = a che ora
yes = sì
no = no, nessun, nessuno, nessuna
not = non
never = mai
nobody = nessuno
nothing = niente, nulla
neither = né
no longer = non più
not only = non solo, non soltanto
under no circumstances = in nessun caso, assolutamente no
of course = certo, certamente, naturalmente, ovviamente, sicuramente, assolutamente sì, senz'altro, volentieri
no problem = nessun problema
sadly = purtroppo
sorry = mi dispiace, spiacente, scusa, scusi
perhaps = forse, può darsi
probably = probabilmente
i think = penso, credo
i am not sure = non sono sicuro, non sono sicura
i do not know = non lo so, non so, non saprei, nessuna idea
hello = ciao, buongiorno, buonasera, salve
thank you = grazie, grazie mille
the answer is = la risposta è, la risposta giusta è, la risposta corretta è
please = per favore, per piacere
open = aperto, aperta, aperti, aperte
closed = chiuso, chiusa, chiusi, chiuse
allowed = ammesso, ammessa, ammessi, ammesse, permesso, permessa, consentito, consentita
forbidden = vietato, vietata, vietati, vietate, proibito, proibita
accepted = accettato, accettata, accettati, accettate
possible = possibile
impossible = impossibile
necessary = necessario, necessaria
mandatory = obbligatorio, obbligatoria
optional = facoltativo, facoltativa
free = gratuito, gratuita, gratuiti, gratis
included = incluso, inclusa, inclusi, compreso, compresa
covered = coperto, coperta, coperti, coperte
available = disponibile, disponibili
true = vero, vera, esatto
false = falso, falsa, errato
day = giorno
days = giorni
week = settimana
weeks = settimane
month = mese
months = mesi
year = anno
years = anni
hour = ora
hours = ore
minute = minuto
minutes = minuti
second = secondo
seconds = secondi
metre = metro, metri
kilometre = chilometro, chilometri
gram = grammo, grammi
kilo = chilo, chili, chilogrammo, chilogrammi
tonne = tonnellata, tonnellate
litre = litro, litri
percent = per cento, percento
degrees = gradi, grado
euro = euro
per year = all'anno, l'anno, per anno
per month = al mese, per mese
per week = alla settimana
per day = al giorno
per person = a persona, per persona
half an hour = mezz'ora, mezza ora
and a half = e mezzo, e mezza
half = mezzo, mezza
dozen = dozzina
hundred = centinaio
thousand = mille, mila, migliaia
million = milione, milioni, milione di, milioni di
billion = miliardo, miliardi, miliardo di, miliardi di
once = una volta
twice = due volte
january = gennaio
february = febbraio
march = marzo
april = aprile
may = maggio
june = giugno
july = luglio
august = agosto
september = settembre
october = ottobre
november = novembre
december = dicembre
monday = lunedì
tuesday = martedì
wednesday = mercoledì
thursday = giovedì
friday = venerdì
saturday = sabato
sunday = domenica
mr = signor, signore, sig
mrs = signora
"""
ORDINALS = "primo secondo terzo quarto quinto sesto settimo ottavo nono decimo undicesimo dodicesimo"
_ONES = (
    "zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici "
    "diciassette diciotto diciannove"
)
_TENS = "venti trenta quaranta cinquanta sessanta settanta ottanta novanta"


def numbers() -> Iterator[tuple[str, float]]:
    """Yield number words and their values; `uno` alone is an article."""
    below = {value: _below_hundred(value) for value in range(100)}
    yield from ((word, value) for value, word in below.items() if value != 1)
    yield from ((f"{word[:-1]}é", value) for value, word in below.items() if value > 20 and value % 10 == 3)
    for times in range(1, 10):
        hundred = f"{'' if times == 1 else below[times]}cento"
        yield hundred, times * 100
        yield from ((f"{hundred}{below[value]}", times * 100 + value) for value in range(1, 100))
    for times in (*range(1, 21), *range(30, 100, 10)):
        thousand = "mille" if times == 1 else f"{below[times]}mila"
        yield thousand, times * 1000
        hundreds = ("cento", *(f"{below[h]}cento" for h in range(2, 10)))
        yield from ((thousand + hundred, times * 1000 + h * 100) for h, hundred in enumerate(hundreds, 1))


def ordinals() -> Iterator[tuple[str, int]]:
    """Yield ordinal words of either gender, and their values."""
    for value, word in enumerate(ORDINALS.split(), 1):
        yield from ((word[:-1] + ending, value) for ending in "oaie")


def _below_hundred(value: int) -> str:
    if value < 20:
        return _ONES.split()[value]
    tens, one = _TENS.split()[value // 10 - 2], value % 10
    if not one:
        return tens
    return f"{tens[:-1] if one in (1, 8) else tens}{_ONES.split()[one]}"
