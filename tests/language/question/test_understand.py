"""Questions of many forms, in English and Chinese, and what is understood of them."""

from __future__ import annotations

import pytest

from vidence.language.identify import question_language
from vidence.language.question import Kind, Relation, name_of, read_question
from vidence.language.question.understand import words_named

KINDS: list[tuple[str, Kind]] = [
    ("How many cups are on the shelf?", "count"),
    ("What number of dogs is there?", "count"),
    ("What number of horses are on the road?", "count"),
    ("What is the number of the people in the room?", "count"),
    ("What number of bus is this?", "what"),
    ("What is the number of this tram?", "what"),
    ("What is the number of the train?", "what"),
    ("Count the cars.", "count"),
    ("What is the largest number of people at once?", "count"),
    ("How many times does the girl jump?", "count"),
    ("有几只猫？", "count"),
    ("画面里有多少辆车？", "count"),
    ("When does the train arrive?", "when"),
    ("At what time (seconds) does the door open?", "when"),
    ("Give a time at which the cat sleeps.", "when"),
    ("At which second is the light switched off?", "when"),
    ("How many seconds into the clip does she laugh?", "when"),
    ("猫什么时候出现？", "when"),
    ("第几秒门打开？", "when"),
    ("Does the man sit down before or after the woman leaves?", "order"),
    ("Which comes first: the car or the bus?", "order"),
    ("Put in order: sunrise, breakfast, walk.", "order"),
    ("In which order do the cat and the dog appear?", "order"),
    ("Is the dog shown before the cat?", "order"),
    ("狗出现在猫之前还是之后？", "order"),
    ("按先后顺序排列：猫、狗、鸟。", "order"),
    ("Which cup (left, middle, right) falls first?", "which"),
    ("Is the lamp on the left or on the right?", "which"),
    ("Which of the two women wears glasses?", "which"),
    ("On which side is the tree?", "which"),
    ("Is it day or night?", "which"),
    ("穿红衣服的是左边的人还是右边的人？", "which"),
    ("What colour is the car?", "colour"),
    ("What are the colors of her shoes?", "colour"),
    ("汽车是什么颜色？", "colour"),
    ("Is there a dog?", "yes_no"),
    ("Can music be heard?", "yes_no"),
    ("有没有猫？", "yes_no"),
    ("What animal is shown?", "what"),
    ("Which vehicle is parked there?", "what"),
    ("What is he holding?", "what"),
    ("Who opens the door?", "who"),
    ("谁在说话？", "who"),
    ("Where is the bag?", "where"),
    ("包在哪里？", "where"),
    ("Why does the boy run?", "why"),
    ("他为什么跑？", "why"),
    ("What does the man say about the weather?", "said"),
    ("Complete the phrase: to be or ...", "said"),
    ("他说了什么？", "said"),
    ("What sound is heard at the end?", "heard"),
    ("能听到什么声音？", "heard"),
    ("What does the sign say?", "read"),
    ("What does it say on the blue suitcase?", "read"),
    ("What does it say in the corner?", "read"),
    ("What does the blue paint on the wall say?", "read"),
    ("What does the sticker with a heart on it say?", "read"),
    ("What does the tag on the dog's collar say?", "read"),
    ("What is the clock saying?", "read"),
    ("牌子上说什么？", "read"),
    ("行李箱上说了什么？", "read"),
    ("What does the boy in the red shirt say?", "said"),
    ("What does it say at the end?", "said"),
    ("What does Rosa say on the phone?", "said"),
    ("What does the man say on the screen?", "said"),
    ("What does the narrator say?", "said"),
    ("What does the parrot say?", "said"),
    ("What does the sparrowologist say about nests?", "said"),
    ("What was the last sentence said?", "said"),
    ("会议上说了什么？", "said"),
    ("车上他说了什么？", "said"),
    ("他怎么说他的妻子？", "said"),
    ("Which word is written on the wall?", "read"),
    ("牌子上写着什么？", "read"),
    ("What is the girl doing?", "doing"),
    ("What happens after the crash?", "doing"),
    ("女孩在做什么？", "doing"),
    ("What is this video about?", "describe"),
    ("Describe the clip.", "describe"),
    ("Describe the scenes in the order they come.", "describe"),
    ("List the scenes in order.", "describe"),
    ("Summarize the video in chronological order.", "describe"),
    ("Walk me through the video.", "describe"),
    ("List the following events in order: he falls, he runs", "order"),
    ("What order do they come in?", "order"),
    ("按顺序描述每个场景。", "describe"),
    ("按时间顺序描述视频内容。", "describe"),
    ("按先后顺序排列：跑步，跳跃", "order"),
    ("Is the camera moving?", "camera"),
    ("镜头是静止的吗？", "camera"),
    ("How many hard cuts are there?", "cuts"),
    ("When does the video cut from the sea to the city?", "cuts"),
    ("有几次镜头切换？", "cuts"),
]


ABOUT_IT_ALL = [
    "What is this a clip of?",
    "What am I looking at here?",
    "What do you see in the film?",
    "Sum this clip up for me.",
    "What's the best part?",
    "这段录像主要在拍什么？",
    "我们在看什么？",
    "视频里能看到什么？",
]
TOLD_OF_A_PART: list[tuple[str, Relation]] = [
    ("How does it finish?", "end"),
    ("How does the movie begin?", "start"),
    ("What's the very last thing that happens?", "end"),
    ("In the closing seconds, what happens?", "end"),
    ("影片怎么收尾的？", "end"),
]
AT_AN_EDGE: list[tuple[str, Relation]] = [
    ("Who is in view in the last half second?", "end"),
    ("What does the clip open with?", "start"),
    ("Where does it end?", "end"),
    ("What is the first thing we see?", "start"),
    ("最后洗碗的人穿什么？", "end"),
    ("到最后门关上了吗？", "end"),
    ("刚开始桌上有什么？", "start"),
]
NOT_AT_AN_EDGE = [
    "最后一个人是谁？",
    "谁最后离开？",
    "最后一次跳是在哪里？",
    "最后出现的是什么动物？",
    "How does the engine start?",
    "When does it end?",
]


@pytest.mark.parametrize("question", ABOUT_IT_ALL)
def test_what_a_video_is_about_is_asked_in_many_ways(question: str) -> None:
    assert read_question(question).expected.type == "summary"


@pytest.mark.parametrize(
    "question", ["What do we see on the left?", "What can you see behind her?", "What is she up to?"]
)
def test_a_part_of_the_picture_is_looked_at(question: str) -> None:
    assert read_question(question).expected.type != "summary"


@pytest.mark.parametrize(("question", "relation"), TOLD_OF_A_PART)
def test_a_beginning_or_end_is_told(question: str, relation: Relation) -> None:
    asked = read_question(question)
    assert asked.expected.type == "summary"
    assert [one.relation for one in asked.form.anchors] == [relation]


@pytest.mark.parametrize(("question", "relation"), AT_AN_EDGE)
def test_an_edge_of_the_video_is_where_to_look(question: str, relation: Relation) -> None:
    assert read_question(question).form.anchor("start", "end") is not None
    assert read_question(question).form.anchors[0].relation == relation


@pytest.mark.parametrize("question", NOT_AT_AN_EDGE)
def test_the_last_of_several_is_not_the_end(question: str) -> None:
    assert read_question(question).form.anchor("start", "end") is None


LED_IN: list[tuple[str, Kind]] = [
    ("Around 9 seconds, is she facing us?", "yes_no"),
    ("In the final shot, does the cat jump?", "yes_no"),
    ("When the boat lands, what colour is its sail?", "colour"),
    ("Near the end is the cup on the left half or the right half?", "which"),
    ("In the first scene, who opens the gate?", "who"),
    ("The boy in the red coat, does he wave?", "yes_no"),
    ("Before he sits down, does he take off his hat?", "yes_no"),
    ("A dog runs past. Is it barking?", "yes_no"),
    ("When the bus turns you can see its side. What colour is it?", "colour"),
    ("在第8秒左右，她戴眼镜吗？", "yes_no"),
    ("一个男人走过。他的帽子是什么颜色？", "colour"),
    ("Describe the room. Is it a kitchen?", "describe"),
    ("At which second, roughly, does the door open?", "when"),
    ("In chronological order, what happens?", "order"),
    ("Was this filmed in the U.S.?", "yes_no"),
    ("A girl holds up a card. What does it say?", "read"),
    ("能听清他喊了什么吗？", "said"),
]
WHETHER: list[str] = [
    "Are there any lakes or ponds?",
    "Is there a fence or a wall behind it?",
    "Can you see a boat or a plane?",
    "Is the girl standing still or not?",
    "Does the boy have any bags or boxes?",
    "Does the colour of her hat match the scarf?",
    "Is the man who is running wearing a cap?",
    "Any boats on the lake?",
]
WHY = [
    "为什么墙要刷成这种颜色？",
    "Why is the door that colour?",
    "Why does the label say no?",
    "为何只有两个人？",
]


@pytest.mark.parametrize(("question", "kind"), LED_IN)
def test_what_leads_in_does_not_hide_what_is_asked(question: str, kind: Kind) -> None:
    assert read_question(question).form.kind == kind


@pytest.mark.parametrize("question", WHETHER)
def test_what_is_there_or_not_is_no_choice(question: str) -> None:
    form = read_question(question).form
    assert (form.kind, form.alternatives) == ("yes_no", ())


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Is there a tree on the left or on the right?", "which"),
        ("Is the colour of the door red or blue?", "which"),
        ("Can you tell me what colour the car is?", "colour"),
        ("Are there more cats or dogs?", "which"),
        ("Are there two or three boats?", "which"),
    ],
)
def test_what_begins_like_yes_or_no_may_ask_for_more(question: str, kind: Kind) -> None:
    assert read_question(question).form.kind == kind


@pytest.mark.parametrize("question", WHY)
def test_why_is_asked_whatever_else_is_named(question: str) -> None:
    assert read_question(question).expected.type == "reason"


@pytest.mark.parametrize(("question", "kind"), KINDS)
def test_the_kind_is_told_by_the_words_that_ask(question: str, kind: Kind) -> None:
    assert read_question(question).form.kind == kind


def test_what_time_of_day_it_is_asks_for_no_seconds() -> None:
    assert not read_question("What time of day is it?").form.wants_seconds


def test_cutting_a_cake_is_no_cut_of_the_film() -> None:
    assert read_question("When does the woman slice the cake?").form.kind == "when"


@pytest.mark.parametrize(
    ("question", "head", "category"),
    [
        ("How many bottles are on the table?", "bottle", "bottle"),
        ("On the table, how many bottles are there?", "bottle", "bottle"),
        ("How many children play?", "child", "person"),
        ("How many pedestrians are there?", "pedestrian", "person"),
        ("How many knives are there?", "knife", "knife"),
        ("How many buses pass?", "bus", "bus"),
        ("How many vehicles are parked?", "vehicle", "vehicle"),
        ("How many mugs are there?", "mug", "cup"),
        ("桌子上有几个瓶子？", "瓶子", "bottle"),
        ("有多少行人？", "行人", "person"),
    ],
)
def test_what_is_counted_comes_first(question: str, head: str, category: str) -> None:
    first = read_question(question).form.targets[0]
    assert (first.head, first.category) == (head, category)


@pytest.mark.parametrize(
    ("question", "things"),
    [
        ("盒子里有几粒药丸？", ["药丸", "盒子"]),
        ("墙上挂着几幅油画？", ["油画", "墙"]),
        ("一共有几盏灯？", ["灯"]),
        ("那三幢房屋的烟囱是什么颜色？", ["烟囱", "房屋"]),
        ("右边男人手里的杯子是什么颜色？", ["杯子", "男人", "手"]),
        ("他脚边的箱子是什么颜色？", ["箱子"]),
        ("屋里有没有狗或者猫？", ["狗", "猫"]),
        ("老师拿出了哪几款仪器？", ["老师", "仪器"]),
        ("船停在哪里？", ["船"]),
        ("几分钟后门才开？", ["门"]),
        ("她脖子上的丝巾（围巾）是什么颜色？", ["丝巾", "脖子", "围巾"]),
        ("机器人助理在做什么？", ["机器人"]),
        ("最后骑马的是谁？", ["马"]),
        ("前半段的海面是什么样子？", ["海面"]),
        ("她脖子上挂着什么东西？", ["脖子"]),
        ("握刀的手从哪一边伸出来？", ["刀", "手"]),
        ("为什么地毯要用这种花色？", ["地毯"]),
    ],
)
def test_chinese_things_are_whole_words(question: str, things: list[str]) -> None:
    assert [one.head for one in read_question(question).form.targets] == things


@pytest.mark.parametrize(
    ("question", "text", "position"),
    [
        ("画面左边的那盏灯亮着吗？", "左边的灯", "left"),
        ("视频里的船是什么颜色？", "船", None),
        ("画面里还有别的狗吗？", "狗", None),
        ("后半段的山是什么颜色？", "山", None),
    ],
)
def test_where_to_look_is_no_part_of_a_chinese_thing(question: str, text: str, position: str | None) -> None:
    thing = read_question(question).form.targets[0]
    assert (thing.text, thing.position) == (text, position)


@pytest.mark.parametrize(
    ("question", "things"),
    [
        ("Is the bus actually full?", ["the bus"]),
        ("Where are her feet right at the start?", ["her feet"]),
        ("Can you see the lake anywhere?", ["the lake"]),
        ("Was this recorded on a boat?", ["a boat"]),
        ("What colour gloves does the nurse wear?", ["gloves", "the nurse"]),
        ("Do any elbows show?", ["elbows"]),
        ("Are there some dogs?", ["dogs"]),
        ("When does blue letters on white come up?", ["blue letters"]),
        ("Is the girl in red holding a cup?", ["the girl", "a cup"]),
        ("Is the fence green?", ["the fence"]),
        ("Is it on the left half or the right half?", []),
        ("Does he stretch both legs out wide?", ["both legs"]),
        ("What lies nearly in the dark?", []),
        ("Is a family there?", ["a family"]),
        ("How many pink frosted buns are there?", ["pink frosted buns"]),
        ("Sum the story up.", ["the story"]),
        ("What is the boy's hair colour?", ["the boy's hair"]),
        ("What pattern is on her top?", ["pattern", "her top"]),
        ("What does the dark-haired bearded man hold?", ["the dark-haired bearded man"]),
        ("What is slung over his shoulder?", ["his shoulder"]),
        ("What stands in front of the gate?", ["the gate"]),
    ],
)
def test_english_things_are_noun_phrases(question: str, things: list[str]) -> None:
    assert [one.text for one in read_question(question).form.targets] == things


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What colour is the squirrel's bushy tail?", "squirrel's bushy tail"),
        ("How many dogs are there?", "dog"),
        ("What colour is it?", ""),
        ("How many glorbs are there?", ""),
        ("屋顶是什么颜色？", "屋顶"),
        ("穿黑衣服的男人在哪里？", "黑衣服"),
        ("有几枚绶带徽？", ""),
        ("它是什么颜色？", ""),
    ],
)
def test_only_a_clean_noun_phrase_is_named(question: str, name: str) -> None:
    first = next(iter(read_question(question).form.targets), None)
    assert (name_of(first) if first else "") == name


def test_a_description_after_the_noun_belongs_to_it() -> None:
    first = read_question("When does a person with blond hair and a dark coat walk by?").form.targets[0]
    assert first.phrase == "a person with blond hair and a dark coat"


def test_side_colour_and_number_are_read_off_the_phrase() -> None:
    (bottle,) = read_question("When is the right-hand bottle taken away?").form.targets
    shirt = read_question("Which of them wears the orange checked shirt?").form.targets[-1]
    (men,) = read_question("When are both men standing?").form.targets
    assert bottle.position == "right"
    assert (shirt.head, shirt.colours) == ("shirt", ("orange",))
    assert men.number == 2


def test_left_as_a_verb_is_no_side() -> None:
    dog = read_question("When has the dog left the picture?").form.targets[0]
    assert dog.position is None


@pytest.mark.parametrize(
    ("question", "relation", "start_s", "end_s"),
    [
        ("What happens at about 20.5 seconds?", "at", 20.5, 20.5),
        ("What is he doing at 1:15?", "at", 75.0, 75.0),
        ("What is said between 3 and 5 s?", "at", 3.0, 5.0),
        ("What is worn at about 1.3-1.8 s?", "at", 1.3, 1.8),
        ("How many people are there in the first 5 seconds?", "at", 0.0, 5.0),
        ("What happens after 20 seconds?", "after", 20.0, 20.0),
        ("第20秒发生了什么？", "at", 20.0, 20.0),
        ("1分15秒时他在做什么？", "at", 75.0, 75.0),
        ("3到5秒之间说了什么？", "at", 3.0, 5.0),
    ],
)
def test_times_are_read_as_people_write_them(
    question: str, relation: Relation, start_s: float, end_s: float
) -> None:
    anchor = read_question(question).form.anchors[0]
    assert (anchor.relation, anchor.start_s, anchor.end_s) == (relation, start_s, end_s)


@pytest.mark.parametrize(
    ("question", "relation"),
    [
        ("How many cups are there at the start?", "start"),
        ("Which title is shown at the very end?", "end"),
        ("What lies on the stone in the first picture?", "start"),
        ("How many people are in the last frame?", "end"),
        ("When does the bird first appear?", "first"),
        ("How many are visible at any time?", "any"),
        ("Is it put down before the clip ends?", "whole"),
        ("一开始有几个人？", "start"),
        ("结尾出现什么标题？", "end"),
        ("鸟第一次出现是什么时候？", "first"),
    ],
)
def test_edges_of_the_video_are_understood(question: str, relation: Relation) -> None:
    assert read_question(question).form.anchor(relation) is not None


def test_a_clause_says_when() -> None:
    during = read_question("Which sound is heard while the woman plays?").form.anchor("while")
    scene = read_question("What is heard during the bottle scene?").form.anchor("while")
    assert during is not None
    assert during.clause == "the woman plays"
    assert scene is not None
    assert scene.clause == "the bottle scene"


def test_a_clause_that_leads_in_says_when() -> None:
    form = read_question("When the bell rings, what is on the desk?").form
    assert (form.kind, form.anchors[0].relation, form.anchors[0].clause) == (
        "what",
        "while",
        "the bell rings",
    )


def test_when_with_a_verb_after_it_asks() -> None:
    assert read_question("Roughly when is the boat nearest to us?").form.anchors == ()


def test_the_question_word_is_no_clause() -> None:
    assert read_question("狗什么时候不在画面里？").form.anchor("while") is None


@pytest.mark.parametrize(
    ("question", "alternatives"),
    [
        ("Which bottle (left, middle, right) falls?", ("left", "middle", "right")),
        ("Is the camera static or moving?", ("static", "moving")),
        ("Does it rain before or after lunch?", ("before", "after")),
        ("最先倒下的是左边、中间还是右边的瓶子？", ("左边", "中间", "右边的瓶子")),
        ("At what time (seconds) does it rain?", ()),
    ],
)
def test_choices_offered_by_the_question(question: str, alternatives: tuple[str, ...]) -> None:
    assert read_question(question).form.alternatives == alternatives


@pytest.mark.parametrize(
    ("question", "comparison", "items"),
    [
        (
            "Is the stream shown before or after the bird?",
            "before_after",
            ("stream", "bird"),
        ),
        ("Which comes first: the sign or the bicycle?", "first", ("sign", "bicycle")),
        ("Put in order: coffee, bottles, dog.", "sequence", ("coffee", "bottles", "dog")),
        ("Is the dog shown before the cat?", "yes_no", ("dog", "cat")),
        ("小溪出现在鸟之前还是之后？", "before_after", ("小溪出现", "鸟")),
        ("按先后顺序排列：倒咖啡、瓶子、狗。", "sequence", ("倒咖啡", "瓶子", "狗")),
        ("标志和自行车，哪个先出现？", "first", ("标志", "自行车")),
    ],
)
def test_events_to_order_are_taken_apart(question: str, comparison: str, items: tuple[str, ...]) -> None:
    form = read_question(question).form
    assert (form.comparison, form.items) == (comparison, items)


def test_the_two_sides_of_a_cut_are_found() -> None:
    assert read_question("When is the hard cut from the bird scene to the burrow scene?").form.items == (
        "bird scene",
        "burrow scene",
    )
    assert read_question("从海边切换到城市是在第几秒？").form.items == ("海边", "城市")


def test_ways_of_counting_are_told_apart() -> None:
    assert read_question("How many different people walk by?").form.distinct
    assert read_question("How many times does he wave?").form.repeated
    assert read_question("What is the maximum number of cars?").form.extreme == "most"
    assert read_question("最少有几个瓶子？").form.extreme == "fewest"
    assert not read_question("How many people are at the table?").form.distinct


def test_quoted_words_are_kept() -> None:
    assert read_question('Who says "good morning"?').form.quoted == ("good morning",)


@pytest.mark.parametrize("text", ["?", "...", "???!!!", "42", "ß", "a" * 5000, "\n\t", "🎬", "how", "什么"])
def test_any_text_gives_a_form(text: str) -> None:
    assert read_question(text).form.kind


def test_a_question_in_another_language_is_taken_as_it_stands() -> None:
    form = read_question("Combien de chiens y a-t-il ?").form
    assert form.language == "en"


@pytest.mark.parametrize(
    ("question", "things"),
    [
        ("红色的 car 什么时候出现？", [("红色的car", "car", ("red",))]),
        ("狗和 cat 都出现了吗？", [("狗", "dog", ()), ("cat", "cat", ())]),
        ("有几个 people？", [("people", "person", ())]),
        ("有没有 red car？", [("red car", "car", ("red",))]),
        ("iPhone 是什么颜色？", [("iPhone", "cell phone", ())]),
        ("BCPL 由谁提出？", [("BCPL", None, ())]),
        ("OK，他在做什么？", []),
        ("What colour is the 狗?", [("the 狗", "dog", ())]),
        ("How many 人 are there?", [("人", "person", ())]),
    ],
)
def test_a_thing_may_be_named_in_the_other_language(
    question: str, things: list[tuple[str, str | None, tuple[str, ...]]]
) -> None:
    assert [(one.text, one.category, one.colours) for one in read_question(question).form.targets] == things


@pytest.mark.parametrize(
    "question",
    [
        "who says 你好?",
        "视频里的 dog 是什么颜色",
        "谁说了 I am the king of the world?",
        "Who is in 《西游记》?",
        "When does 小明 leave the room?",
        "很长的话。" * 300 + "What is it?",
    ],
)
def test_a_question_is_read_in_the_language_it_is_answered_in(question: str) -> None:
    assert read_question(question).form.language == question_language(question)


@pytest.mark.parametrize("question", ["Can you see the person's face?", "Can you see the person’s face?"])
def test_what_somebody_has_is_the_thing_asked_after(question: str) -> None:
    assert [target.head for target in read_question(question).form.targets] == ["face"]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Does it say THE END on screen?", ("THE END",)),
        ("Does it say the end on the screen?", ("the end",)),
        ("Is LAUNCH TONIGHT written anywhere?", ("LAUNCH TONIGHT",)),
        ("Do the words big buck bunny appear?", ("big buck bunny",)),
        ("Does the sign say TAXI?", ("TAXI",)),
        ("屏幕上有 THE END 吗？", ("THE END",)),
        ("画面中出现过 GOOD MORNING 这几个字吗？", ("GOOD MORNING",)),
        ("屏幕上写着谢谢观看吗？", ("谢谢观看",)),
    ],
)
def test_the_words_are_found_and_asked_after(question: str, words: tuple[str, ...]) -> None:
    form = read_question(question).form
    assert (form.kind, form.sense, form.quoted) == ("yes_no", "read", words)


@pytest.mark.parametrize(
    "question",
    [
        "Is there a TV on the wall?",
        "Does the CEO speak?",
        "Is there any text on screen?",
        "DOES IT SAY ANYTHING ON SCREEN?",
        "屏幕上有字吗？",
        "视频里有 dog 吗？",
    ],
)
def test_other_questions_name_no_words(question: str) -> None:
    assert words_named(question) == ()


@pytest.mark.parametrize(
    "question", ["What does the sign say?", "屏幕上写着什么？", "Which word is written there?"]
)
def test_what_is_written_stays_a_question_for_words(question: str) -> None:
    assert read_question(question).form.kind == "read"
