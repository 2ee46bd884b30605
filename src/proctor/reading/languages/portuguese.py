"""Portuguese vocabulary, European and Brazilian."""

from __future__ import annotations

from collections.abc import Iterator

WORDS = """
the = o, a, os, as
a = um, uma, uns, umas
and = e
or = ou
but = mas, porém, e sim
because = porque, pois
if = se
than = do que
of = de, do, da, dos, das
in = em, no, na, nos, nas
at = à, às, ao, aos
to = a
for = para, por, pelo, pela
with = com
without = sem
on = sobre
from = desde, a partir de
until = até, até ao, até o, até a
about = cerca de, aproximadamente, por volta de, quase, mais ou menos
at least = pelo menos, no mínimo
at most = no máximo
more than = mais de
less than = menos de
between = entre
except = exceto, salvo
instead of = em vez de, ao invés de
before = antes
after = depois
during = durante
every = cada, todos os, todas as
all = todos, todas, tudo, todo, toda
only = só, somente, apenas
also = também
still = ainda
already = já
here = aqui
there = lá, ali
it = ele, ela, isso, isto
you = você, vocês, tu, te
we = nós, nos
i = eu, me
my = meu, minha, meus, minhas
your = seu, sua, seus, suas, teu, tua
our = nosso, nossa, nossos, nossas
this = este, esta, esse, essa
that = que
is = é, está, fica
are = são, estão
was = foi, era
were = foram, eram
be = ser, estar
has = tem, há
have = tenho, têm, temos, tens
can = pode, podem, posso, podemos, podes
must = deve, devem, devo, tem de, tem que, tenho de, tenho que, deves
need = precisa, preciso, precisam, precisas
who = quem
what = o que
which = qual, quais
when = quando
where = onde
why = por que, porquê
how = como
how many = quantos, quantas
how much = quanto, quanta
at what time = a que horas
yes = sim
no = nenhum, nenhuma
not = não
never = nunca, jamais
nobody = ninguém
nothing = nada
neither = nem
no longer = já não, não mais
not only = não só, não apenas
under no circumstances = de jeito nenhum, em caso algum
of course = claro, claro que sim, com certeza, certamente, naturalmente, sem dúvida, sem problema
no problem = nenhum problema, não há problema
sadly = infelizmente
sorry = desculpe, desculpa, lamento, sinto muito
perhaps = talvez
probably = provavelmente
i think = acho que, penso que, creio que
i am not sure = não tenho certeza, não tenho a certeza
i do not know = não sei, não faço ideia, não tenho essa informação
hello = olá, bom dia, boa tarde, oi
thank you = obrigado, obrigada, muito obrigado
the answer is = a resposta é, a resposta certa é, a resposta correta é
please = por favor
open = aberto, aberta, abertos, abertas
opens = abre, abrem
closed = fechado, fechada, fechados, fechadas
closes = fecha, fecham
allowed = permitido, permitida, permitidos, permitidas, autorizado
forbidden = proibido, proibida, proibidos, proibidas
accepted = aceito, aceite, aceita
possible = possível
impossible = impossível
necessary = necessário, necessária, é preciso
mandatory = obrigatório, obrigatória
optional = opcional, facultativo
free = gratuito, gratuita, grátis, de graça
pay = pago, paga, pagos
included = incluído, incluída, incluso
covered = coberto, coberta
available = disponível, disponíveis
true = verdade, verdadeiro, correto
false = falso, falsa, incorreto
day = dia
days = dias
week = semana
weeks = semanas
month = mês
months = meses
year = ano
years = anos
hour = hora
hours = horas
minute = minuto
minutes = minutos
second = segundo
seconds = segundos
metre = metro, metros
kilometre = quilômetro, quilômetros, quilómetro, quilómetros
gram = grama, gramas
kilo = quilo, quilos, quilograma, quilogramas
tonne = tonelada, toneladas
litre = litro, litros
percent = por cento
degrees = graus, grau
euro = euro, euros
per year = por ano, ao ano
per month = por mês, ao mês
per week = por semana
per day = por dia, ao dia
per person = por pessoa
half an hour = meia hora
and a half = e meia, e meio
half = meio, meia
dozen = dúzia
thousand = mil, milhares
million = milhão, milhões, milhão de, milhões de
billion = bilhão, bilhões, mil milhões
once = uma vez
twice = duas vezes
january = janeiro
february = fevereiro
march = março
april = abril
may = maio
june = junho
july = julho
august = agosto
september = setembro
october = outubro
november = novembro
december = dezembro
monday = segunda-feira, segundas-feiras
tuesday = terça-feira, terças-feiras
wednesday = quarta-feira, quartas-feiras
thursday = quinta-feira, quintas-feiras
friday = sexta-feira, sextas-feiras
saturday = sábado, sábados
sunday = domingo, domingos
mr = senhor, sr
mrs = senhora, sra, dona
"""
ORDINALS = "primeiro segundo terceiro quarto quinto sexto sétimo oitavo nono décimo"
_ONES = (
    "zero um dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezesseis dezessete "
    "dezoito dezenove"
)
_TENS = "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa"
_HUNDREDS = "cento duzent trezent quatrocent quinhent seiscent setecent oitocent novecent"
_OTHERWISE = {"duas": 2, "quatorze": 14, "dezasseis": 16, "dezassete": 17, "dezanove": 19, "cem": 100}


def numbers() -> Iterator[tuple[str, float]]:
    """Yield number words and their values; `um` alone is an article."""
    below = {value: _below_hundred(value) for value in range(100)}
    yield from ((word, value) for value, word in below.items() if value != 1)
    yield from _OTHERWISE.items()
    yield from ((f"{tens} e duas", 10 * value + 2) for value, tens in enumerate(_TENS.split(), 2))
    for times, stem in enumerate(_HUNDREDS.split(), 1):
        for hundred in {"cento"} if times == 1 else {f"{stem}os", f"{stem}as"}:
            yield hundred, times * 100
            yield from ((f"{hundred} e {below[value]}", times * 100 + value) for value in range(1, 100))
    for times in range(1, 21):
        thousand = "mil" if times == 1 else f"{below[times]} mil"
        hundreds = ((f"{stem}os", h) for h, stem in enumerate(_HUNDREDS.split(), 1))
        yield from ((f"{thousand} e {hundred}", times * 1000 + h * 100) for hundred, h in (*hundreds, ("cem", 1)))


def ordinals() -> Iterator[tuple[str, int]]:
    """Yield ordinal words of either gender, and their values."""
    for value, word in enumerate(ORDINALS.split(), 1):
        yield from ((word[:-1] + ending, value) for ending in ("o", "a"))


def _below_hundred(value: int) -> str:
    if value < 20:
        return _ONES.split()[value]
    tens, one = _TENS.split()[value // 10 - 2], value % 10
    return tens if not one else f"{tens} e {_ONES.split()[one]}"
