"""What the test bed writes: sentences, clocks, plates, prices, names, in several languages."""

from __future__ import annotations

from random import Random

__all__ = ["FOREIGN", "WORDINGS", "write"]

_EN = """the a of and to in is for on with from by new old red blue great small open closed street market road school
music summer winter station hotel coffee fresh bread local history museum garden people water light morning night river
bridge north south east west central national public private library company family business welcome today tomorrow only
best price sale free world time house city train ticket platform exit entrance parking please keep door push pull
caution wet floor danger high voltage silence gallery theatre concert festival international airport gate arrival
""".split()
_NAMES = "Alice Brown David Chen Maria Lopez Peter Smith Anna Novak Omar Khan Julia Weber Kevin Wright Laura Bianchi".split()
_ZH = (
    "我们今天一起去学习新的方法 北京欢迎你 请勿在此停车 小心地滑注意安全 营业时间早上九点到晚上十点 人民公园南门 中国建设银行 "
    "兰州牛肉面 欢迎光临 禁止吸烟 出口在左边 下一站西直门 水果蔬菜批发市场 他没有想到事情会变成这样 我觉得这个问题很重要 "
    "你为什么不早点告诉我 天气预报明天有大雨 上海虹桥火车站 请保持安静 老王烧烤店 新鲜牛奶每日配送 学校门口减速慢行 "
    "这座城市的历史非常悠久 谢谢大家的支持 第三届国际电影节 高速公路收费站 绿色食品放心购买 全场八折优惠 图书馆阅览室 "
    "那一年夏天特别热 他们终于见面了 科学技术是第一生产力 儿童乐园 消防通道禁止占用"
).split()
_ZH_NAMES = "李明华 王小红 张建国 陈思远 刘洋 赵丽颖 周杰 孙悦 吴刚 郑爽".split()
_PLATE_ZH = "京沪粤川浙苏鲁鄂湘闽"
_TEAMS = "ARS CHE LIV MUN BAR RMA JUV INT BAY PSG LAL BOS".split()

FOREIGN = {
    "cyrillic": "Добро пожаловать|Сборная России|Молоко и хлеб|Новости дня|Выход|Улица Ленина|Спортивный клуб|Осторожно",
    "arabic": "مرحبا بكم|شارع الملك|أخبار اليوم|ممنوع الوقوف|مدينة القاهرة|خروج",
    "korean": "안녕하세요|서울 지하철|오늘의 뉴스|출구|한국어 방송|어서 오세요",
    "thai": "สวัสดีครับ|ห้ามจอดรถ|ตลาดน้ำ|ข่าววันนี้|กรุงเทพมหานคร",
    "hindi": "नमस्ते दुनिया|आज की खबर|भारतीय रेल|स्वागत है|बाहर का रास्ता",
    "greek": "Καλημέρα κόσμε|Έξοδος|Αθήνα σήμερα|Εθνική Τράπεζα",
    "japanese": "ありがとうございます|いらっしゃいませ|東京タワーへようこそ|ラーメンと餃子|お知らせ",
    "accents": "Crème brûlée à volonté|Straßenbahn Haltestelle|El niño mañana|Où est la gare|Größe ändern|São Paulo é aqui",
}


def _english(rng: Random, words: tuple[int, int] = (2, 6)) -> str:
    picked = [rng.choice(_EN) for _ in range(rng.randint(*words))]
    if rng.random() < 0.15:
        picked = [*picked, str(rng.randint(1, 2030))]
    text = " ".join(picked)
    return rng.choice((text.capitalize(), text.title(), text.upper(), text.capitalize()))


def _chinese(rng: Random) -> str:
    return rng.choice(_ZH)


def _both(rng: Random) -> str:
    forms = (
        f"{rng.choice(_ZH)[:4]} {_english(rng, (1, 2))}",
        f"{_english(rng, (1, 2))} {rng.choice(_ZH)[:5]}",
        f"{rng.choice(_ZH)[:4]}{rng.randint(2, 99)}{rng.choice('元号楼个年')}",
        f"第{rng.randint(1, 30)}期 {rng.choice(_EN).upper()} {rng.choice(_ZH)[:3]}",
    )
    return rng.choice(forms)


def _moment(rng: Random) -> tuple[str, str]:
    year, month, day = rng.randint(1998, 2026), rng.randint(1, 12), rng.randint(1, 28)
    date = rng.choice(
        (f"{year}-{month:02}-{day:02}", f"{year}/{month:02}/{day:02}", f"{month:02}-{day:02}-{year}",
         f"{year}年{month:02}月{day:02}日", f"{day:02}.{month:02}.{year}")
    )  # fmt: skip
    clock = f"{rng.randint(0, 23):02}:{rng.randint(0, 59):02}:{rng.randint(0, 59):02}"
    return date, clock


def _cctv(rng: Random) -> str:
    date, clock = _moment(rng)
    week = rng.choice(("", "", " 星期" + rng.choice("一二三四五六日"), " " + rng.choice(("MON", "TUE", "FRI"))))
    return f"{date}{week} {clock}"


def _plate(rng: Random) -> str:
    tail = "".join(rng.choice("ABCDEFGHJKLMNPQRSTUVWXYZ0123456789") for _ in range(5))
    if rng.random() < 0.5:
        return f"{rng.choice(_PLATE_ZH)}{rng.choice('ABCDEFG')}·{tail}"
    return f"{rng.choice('ABCDEFGH')}{rng.choice('KLMN')}{rng.randint(10, 99)} {tail[:3]}"


def _score(rng: Random) -> str:
    home, away = rng.sample(_TEAMS, 2)
    return f"{home} {rng.randint(0, 9)} - {rng.randint(0, 9)} {away}  {rng.randint(0, 90):02}:{rng.randint(0, 59):02}"


def _price(rng: Random) -> str:
    value = f"{rng.randint(1, 199)}.{rng.choice(('99', '50', '00', '95', '80'))}"
    return rng.choice((f"¥{value}", f"${value}", f"€{value}", f"{value}元/斤", f"£{value} each"))


def _name(rng: Random) -> str:
    if rng.random() < 0.5:
        return rng.choice(_ZH_NAMES)
    return f"{rng.choice(_NAMES)} {rng.choice(_NAMES)}"


WORDINGS = {
    "en": _english,
    "zh": _chinese,
    "both": _both,
    "cctv": _cctv,
    "plate": _plate,
    "number": lambda rng: str(rng.randint(1, 99)),
    "score": _score,
    "price": _price,
    "name": _name,
    **{name: (lambda rng, texts=texts: rng.choice(texts.split("|"))) for name, texts in FOREIGN.items()},
}


def write(kind: str, rng: Random) -> str:
    """Return a text of one kind."""
    return WORDINGS[kind](rng)
