"""French vocabulary."""

from __future__ import annotations

from collections.abc import Iterator

WORDS = """
the = le, la, les, l'
a = un, une
and = et
or = ou, ou bien
but = mais
because = parce que, car, parce qu'
if = si, s'
than = que
of = de, du, des, d'
in = dans, en
at = à, au, aux, chez
to = vers
for = pour
with = avec
without = sans
on = sur
from = dès, depuis, à partir de, à partir du
until = jusqu'à, jusqu'au, jusqu'en, avant le
by = par
about = environ, près de, à peu près, presque
at least = au moins, au minimum
at most = au plus, au maximum
more than = plus de
less than = moins de
between = entre
except = sauf, excepté, hormis
instead of = au lieu de, plutôt que
before = avant
after = après
during = pendant
every = chaque, tous les, toutes les
all = tous, toutes, tout, toute
only = seulement, uniquement
also = aussi, également
still = encore, toujours
already = déjà
here = ici
there = y, là
it = il, elle, ce, c', ça, cela, on
they = ils, elles
you = vous, tu, te, t', vous vous
we = nous
i = je, j', me, m', moi
my = mon, ma, mes
your = votre, vos, ton, ta, tes
our = notre, nos
his = son, sa, ses
this = cet, cette, ces
is = est
are = sont, êtes
was = était, a été, fut
were = étaient, ont été, furent
be = être
has = a, ai, as
have = ont, avez, avons
there is = il y a, y a-t-il
can = peut, peuvent, pouvez, puis, peux, pouvons
must = doit, doivent, devez, dois, faut, il faut, faut-il, devons
need = avez besoin, ai besoin, a besoin, besoin
who = qui
what = quoi, qu', qu'est-ce que, que
which = quel, quelle, quels, quelles
when = quand
where = où
why = pourquoi
how = comment
how many = combien de, combien d'
how much = combien
yes = oui, ouais, si si
no = non, aucun, aucune
not = pas, point
 = ne, n'
never = jamais
nobody = personne
nothing = rien
neither = ni
no longer = plus du tout
not only = pas seulement, non seulement
under no circumstances = en aucun cas
of course = bien sûr, tout à fait, absolument, évidemment, bien entendu, certainement
of course = sans problème, volontiers, d'accord
no problem = pas de souci, pas de problème, aucun problème, aucun souci
sadly = malheureusement, hélas
sorry = désolé, désolée, pardon
perhaps = peut-être
probably = probablement, sans doute
i think = je pense, je crois
i am not sure = je ne suis pas sûr, je ne suis pas sûre
i do not know = je ne sais pas, je l'ignore, aucune idée, je n'ai pas d'information, je n'ai pas cette information
hello = bonjour, bonsoir, salut
thank you = merci, merci beaucoup
the answer is = la réponse est, la bonne réponse est
please = s'il vous plaît, merci de, veuillez
open = ouvert, ouverte, ouverts, ouvertes
closed = fermé, fermée, fermés, fermées
allowed = autorisé, autorisée, autorisés, autorisées, permis, permise, admis, admise
forbidden = interdit, interdite, interdits, interdites, défendu
accepted = accepté, acceptée, acceptés, acceptées
possible = possible
impossible = impossible
necessary = nécessaire, nécessaires, requis, requise
mandatory = obligatoire, obligatoires
optional = facultatif, facultative
free = gratuit, gratuite, gratuits, gratuitement
included = compris, comprise, inclus, incluse
extra = en supplément, en sus
covered = couvert, couverte, couverts
available = disponible, disponibles
true = vrai, exact
false = faux, fausse, inexact
day = jour
days = jours
week = semaine
weeks = semaines
months = mois
year = an, année
years = ans, années
hour = heure
hours = heures
minute = minute
minutes = minutes
second = seconde
seconds = secondes
metre = mètre, mètres
kilometre = kilomètre, kilomètres
gram = gramme, grammes
kilo = kilogramme, kilogrammes
tonne = tonne, tonnes
litre = litre, litres
percent = pour cent, pourcent
degrees = degrés, degré
euro = euro, euros
per year = par an, par année, l'an
per month = par mois
per week = par semaine
per day = par jour
per person = par personne
half an hour = une demi-heure, demi-heure
and a half = et demi, et demie
half = demi, demie, moitié
dozen = douzaine
hundred = centaine
thousand = mille, millier, milliers
million = million, millions, million de, millions de, million d', millions d'
billion = milliard, milliards, milliard de, milliards de, milliards d'
once = une fois
twice = deux fois
january = janvier
february = février
march = mars
april = avril
may = mai
june = juin
july = juillet
august = août
september = septembre
october = octobre
november = novembre
december = décembre
monday = lundi, lundis
tuesday = mardi, mardis
wednesday = mercredi, mercredis
thursday = jeudi, jeudis
friday = vendredi, vendredis
saturday = samedi, samedis
sunday = dimanche, dimanches
mr = monsieur
mrs = madame, mme, mlle
"""
ORDINALS = "premier deuxième troisième quatrième cinquième sixième septième huitième neuvième dixième onzième douzième"
_ONES = (
    "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept "
    "dix-huit dix-neuf"
)
_TENS = "vingt trente quarante cinquante soixante"


def numbers() -> Iterator[tuple[str, float]]:
    """Yield number words and their values; `un` alone is an article."""
    below = {value: _below_hundred(value) for value in range(100)}
    yield from ((word, value) for value, word in below.items() if value != 1)
    yield from (("vingt et un", 21), ("quatre-vingt", 80), ("septante", 70), ("nonante", 90))
    for times in range(1, 10):
        hundred = "cent" if times == 1 else f"{below[times]} cent"
        yield from ((hundred, times * 100), (f"{hundred}s", times * 100))
        yield from ((f"{hundred} {below[value]}", times * 100 + value) for value in range(1, 100))
    for times in range(1, 21):
        thousand = "mille" if times == 1 else f"{below[times]} mille"
        hundreds = ("cent", *(f"{below[h]} cents" for h in range(2, 10)))
        yield from ((f"{thousand} {hundred}", times * 1000 + h * 100) for h, hundred in enumerate(hundreds, 1))


def ordinals() -> Iterator[tuple[str, int]]:
    """Yield ordinal words and their values."""
    yield from ((word, value) for value, word in enumerate(ORDINALS.split(), 1))
    yield from (("première", 1), ("seconde", 2))


def _below_hundred(value: int) -> str:
    if value < 20:
        return _ONES.split()[value]
    if value < 70:
        tens, one = _TENS.split()[value // 10 - 2], value % 10
        return tens if not one else f"{tens} et un" if one == 1 else f"{tens}-{_ONES.split()[one]}"
    if value < 80:
        return "soixante et onze" if value == 71 else f"soixante-{_ONES.split()[value - 60]}"
    return "quatre-vingts" if value == 80 else f"quatre-vingt-{_ONES.split()[value - 80]}"
