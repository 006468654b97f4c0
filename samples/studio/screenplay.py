"""What happens in the sample film, and when."""

from __future__ import annotations

from samples.studio.film import FPS, Caption, Film, Join, Line, Shot, Sound, Thing, View

__all__ = ["FILM"]

_CUT = Join("cut")
_CAT = Thing("cat", (0, 0, 385, 300), ("ginger", "brown"))
_WIDE = View(480, 270, 960)  # pictures drawn for the film are as large as its frame


def _at(seconds: float) -> int:
    """Return the frame shown at `seconds`, which must lie on a frame."""
    frame = round(seconds * FPS)
    assert abs(frame - seconds * FPS) < 1e-6, f"{seconds} s lies between two frames"
    return frame


_SHOTS = (
    Shot(
        picture="hubble",
        start=0,
        end=_at(4.0),
        first=View(500, 436, 1000),
        last=View(520, 430, 820),
        motion="zoom in",
        join=_CUT,
        labels=("galaxies", "stars", "space", "title card"),
        description_en="Title card: white letters over a deep field of galaxies.",
        description_zh="片头：白色的字，背景是深空中的星系。",
    ),
    Shot(
        picture="chelsea",
        start=_at(4.0),
        end=_at(10.0),
        first=View(225.5, 127, 451),
        last=View(205, 120, 300),
        motion="zoom in",
        join=_CUT,
        labels=("cat", "tabby", "face", "green eyes"),
        description_en="Close-up of a ginger tabby cat with green eyes.",
        description_zh="一只绿眼睛的姜黄色虎斑猫的特写。",
        things=(_CAT,),
    ),
    Shot(
        picture="coffee",
        start=_at(10.0),
        end=_at(17.0),
        first=View(240, 190, 440),
        last=View(375, 190, 440),
        motion="pan right",
        join=_CUT,
        labels=("cup", "coffee", "saucer", "spoon", "wooden table"),
        description_en="A red cup of coffee on a red saucer with a spoon, on a wooden table.",
        description_zh="木桌上有一杯咖啡，红色的杯子和碟子，旁边放着一把勺子。",
        things=(
            Thing("cup", (175, 18, 235, 290), ("red", "white")),
            Thing("spoon", (325, 65, 100, 262), ("silver",)),
        ),
    ),
    Shot(
        picture="rocket",
        start=_at(17.0),
        end=_at(25.0),
        first=View(320, 309, 420),
        last=View(320, 165, 420),
        motion="tilt up",
        join=Join("dissolve", half=12),
        labels=("rocket", "launch pad", "tower", "evening sky", "lights"),
        description_en="A white rocket on its launch pad at dusk, between steel towers.",
        description_zh="黄昏时分，白色的火箭竖立在发射台上，两旁是铁塔。",
        things=(Thing("rocket", (308, 126, 30, 284), ("white",)),),
    ),
    Shot(
        picture="astronaut",
        start=_at(25.0),
        end=_at(31.6),
        first=View(225, 110, 290),
        last=View(256, 200, 512),
        motion="zoom out",
        join=_CUT,
        labels=("person", "woman", "astronaut", "flag", "space shuttle model", "helmet"),
        description_en="A smiling woman astronaut in an orange suit; behind her a flag and a model shuttle.",
        description_zh="一位身穿橙色宇航服的女宇航员在微笑，身后是国旗和航天飞机模型。",
        things=(Thing("person", (18, 15, 350, 497), ("orange",)),),
    ),
    Shot(
        picture="camera",
        start=_at(31.6),
        end=_at(37.0),
        first=View(256, 188, 512),
        last=View(256, 188, 512),
        motion="static",
        join=Join("fade", half=15),
        labels=("person", "man", "photographer", "camera", "tripod", "grass", "black and white"),
        description_en="Black and white: a man in a dark coat looks through a camera on a tripod.",
        description_zh="黑白画面：一个穿深色大衣的男人正在看三脚架上的相机。",
        things=(Thing("person", (0, 62, 335, 450), ("black",)),),
    ),
    Shot(
        picture="meadow",
        start=_at(37.0),
        end=_at(42.4),
        first=_WIDE,
        last=_WIDE,
        motion="static",
        join=_CUT,
        labels=("horse", "silhouette", "meadow", "sunset"),
        description_en="The black silhouette of a horse crosses a meadow at sunset from left to right.",
        description_zh="夕阳下，一匹黑马的剪影从左到右穿过草地。",
    ),
    Shot(
        picture="coins",
        start=_at(42.4),
        end=_at(48.4),
        first=View(480, 270, 960),
        last=View(480, 270, 760),
        motion="zoom in",
        join=_CUT,
        labels=("coins", "24 coins", "black and white"),
        description_en="Twenty-four ancient coins in four rows of six, in black and white.",
        description_zh="黑白画面：二十四枚古钱币，排成四行，每行六枚。",
    ),
    Shot(
        picture="chelsea",
        start=_at(48.4),
        end=_at(51.6),
        first=View(300, 120, 300),
        last=View(155, 120, 300),
        motion="pan left",
        join=_CUT,
        labels=("cat", "tabby", "face", "green eyes"),
        description_en="The ginger cat again, closer.",
        description_zh="姜黄色的猫再次出现，镜头更近。",
        things=(_CAT,),
    ),
    Shot(
        picture="card",
        start=_at(51.6),
        end=_at(54.6),
        first=_WIDE,
        last=_WIDE,
        motion="static",
        join=_CUT,
        labels=("end card", "text"),
        description_en="End card: white letters on dark blue.",
        description_zh="片尾：深蓝底上的白字。",
    ),
)

_CAPTIONS = (
    Caption("VIDENCE SAMPLE", 0.4, 3.8, "title", "en"),
    Caption("Look, listen and read", 0.4, 3.8, "subtitle", "en"),
    Caption("Chelsea the cat", 5.0, 9.0, "lower third", "en"),
    Caption("LAUNCH TONIGHT", 19.0, 24.4, "lower third", "en"),
    Caption("宇航员 艾琳·科林斯", 26.0, 30.6, "lower third", "zh"),
    Caption("THE END", 51.8, 54.6, "title", "en"),
    Caption("谢谢观看", 51.8, 54.6, "subtitle", "zh"),
)

_LINES = (
    Line("This is a cat with green eyes. It is looking at the camera.", 4.4, "en"),
    Line("On the wooden table, there is a red cup of coffee with a spoon.", 10.4, "en"),
    Line("In the evening, a tall rocket is standing under a blue sky.", 17.8, "en"),
    Line("The astronaut is a woman in an orange suit. She is smiling.", 25.4, "en"),
    Line("请看，小马走到右边。", 37.6, "zh", spoken="qing3kan4, xiao3ma3 zou3dao4 you4bian1"),
    Line("Here we see twenty-four old coins.", 44.6, "en"),
    Line("Here is the cat again.", 49.0, "en"),
)

_SOUNDS = (
    Sound("music", 0.2, 3.8),
    Sound("door_knock", 15.9, 16.8),
    Sound("alarm", 23.2, 24.45),
    Sound("phone_ringing", 42.6, 44.2),
    Sound("applause", 51.8, 54.2),
)

FILM = Film(
    title="Vidence sample",
    shots=_SHOTS,
    captions=_CAPTIONS,
    lines=_LINES,
    sounds=_SOUNDS,
)
