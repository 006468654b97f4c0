// Words of the page in both languages; `t("key", {n: 3})` fills {n} in.

const WORDS = {
  en: {
    library: "Library", search: "Search", runs: "Runs", askAll: "Ask all videos", language: "中文",
    languageLabel: "Switch to Chinese", themeDark: "Switch to the dark theme", themeLight: "Switch to the light theme",
    searchAll: "Search all videos: a red cup, applause, 猫 …", searchFiles: "Filter by file name",
    addTitle: "Add videos", addHint: "Drop files here, choose some, or type a path of this computer.",
    addFiles: "Choose files", addPath: "Path of a file or folder", add: "Add", dropHere: "Drop to add",
    emptyTitle: "Your library is empty", emptyHint: "Add a video. It is indexed here on this computer; nothing leaves it.",
    indexed: "ready", notIndexed: "not indexed", index: "Index", remove: "Remove", removeAsk: "Remove {name} and its index? The file stays.",
    indexing: "indexing", queued: "waiting", failedStages: "{n} stages failed", videosN: "{n} videos", videosOne: "1 video", more: "Show more",
    uploading: "uploading", stop: "Stop", ask: "Ask", askLabel: "Your question", askHint: "Ask about this video …", askAllHint: "Ask about all your videos …",
    suggestions: "Try", thinking: "Thinking", thoughts: "How it was found", steps: "steps", frames: "frames", operations: "operations",
    tokens: "tokens", llmCalls: "LLM calls", seconds: "s", confidence: "confidence", sure: "{p} sure", verified: "verified", partly: "partly proven", failed: "not proven",
    verdict_verified: "Verified: the program checked this again", verdict_partly: "Partly proven", verdict_failed: "Not proven or contradicted",
    why: "Why", evidence: "Evidence", notes: "Notes", stopped: "Stopped.", cancelled: "Stopped", understood: "Understood as: {q}",
    looked: "looked at {n} frames", lookedFor: "looked for “{focus}” in {n} frames", proposed: "proposes: {text}", checked: "checked: {score} of 5", restarted: "The server was restarted; starting this again.",
    newThread: "New conversation", conversation: "Conversation", transcript: "Transcript", report: "Report", chapters: "Chapters", info: "Info",
    noSpeech: "Nothing is said in this video.", notTranscribed: "Not transcribed yet.", exportAs: "Export", follow: "Follow the player", renameSpeaker: "Name of {speaker}", save: "Save",
    unknownSpeaker: "Somebody", play: "Play", pause: "Pause", frameBack: "One frame back", frameForward: "One frame forward", mute: "Mute", unmute: "Unmute",
    captions: "Captions", fullscreen: "Full screen", speed: "Speed", timeline: "Timeline", zoomIn: "Zoom in", zoomOut: "Zoom out", fit: "Fit",
    laneShots: "Shots", laneScenes: "Scenes", laneSpeech: "Speech", laneSounds: "Sounds", laneTexts: "Text", laneHits: "Found", laneEvidence: "Evidence",
    searchVideo: "Search this video", results: "{n} moments", nothing: "Nothing found.", seen: "seen", said: "said", heard: "heard", onScreen: "on screen",
    scene: "Scene {n}", noRuns: "No questions yet.", asked: "Asked", replay: "Replay", replaying: "Replaying …", identical: "Repeated without a model: identical to the byte.", different: "The repetition differs: {text}",
    answer: "Answer", when: "When", engine: "Engine", budget: "Budget", secondsBudget: "seconds", stepsBudget: "steps", settings: "Limits", unplayable: "This browser cannot play this file, so its frames are shown.",
    keys: "Keys", keysHelp: "K play · J L 10 s · ← → 5 s · , . one frame · / search · M mute · F full screen",
    clip: "Save clip", unreachable: "The server cannot be reached. It may have been stopped.", lost: "Connection lost; trying again …", notFound: "This page does not exist.", loading: "Loading …", open: "Open",
    cannotTell: "cannot tell", answeredBy: "{engine}", evidencePage: "Evidence page", copied: "Copied", firstVisit: "Ask something to begin. Every claim of the answer leads to its moment.",
    topics: "Topics", topicAsk: "What should be watched?", topicSources: "Sources, one a line: folders, files, feeds, https://…, videos:", topicGo: "Look into it", topicEmpty: "No topic yet. Name a subject and where to look; every sentence of the briefing names its source.", topicRuns: "{n} briefings",
    statements: "What was found", disputes: "Sources that disagree", topicTimeline: "Timeline", sources: "Sources", changes: "Since the last briefing", change_new: "new", change_changed: "changed", change_gone: "gone", nothingFound: "Nothing was found.", gaps: "What is missing", firstHand: "first-hand", secondHand: "second-hand", rating: "rated {n}", sentiment: "Tone", again: "Look again", newer: "newer",
    stories: "Stories", storyName: "Name of the story", storySources: "Paths of texts, subtitles or folders, or ids of videos, one a line", storyEmpty: "No story yet. Add a novel, a script or subtitles; answers quote chapter and paragraph.", storyFacts: "{c} chapters · {e} names · {r} relations", upToChapter: "Up to", graph: "People and relations", mentions: "{n} mentions", storyAsk: "Ask about this story …", storyAskHint: "Ask who somebody is, how two people are related, or what happens to them.",
    tools: "Tools", toolsHint: "Tools are recipes of operations. An induced one is admitted only when a test on other videos shows that it saves work and loses no answers.", measured: "on {q} questions about {v} videos", without: "without", with: "with", secondsWord: "seconds", rightAnswers: "right answers", notMeasured: "Given, not induced: no admission test.", learnedFrom: "Found in these questions",
    skip: "Skip to the content", video: "Video", duration: "Length", menu: "Menu", person: "Person", all: "All videos",
  },
  zh: {
    library: "视频库", search: "搜索", runs: "运行记录", askAll: "问所有视频", language: "EN",
    languageLabel: "切换到英文", themeDark: "切换到深色", themeLight: "切换到浅色",
    searchAll: "搜索所有视频：红色的杯子、掌声、cat …", searchFiles: "按文件名筛选",
    addTitle: "添加视频", addHint: "把文件拖到这里，选择文件，或输入本机路径。",
    addFiles: "选择文件", addPath: "文件或文件夹的路径", add: "添加", dropHere: "松开即可添加",
    emptyTitle: "视频库是空的", emptyHint: "添加一个视频。索引在本机完成，任何内容都不会离开这台电脑。",
    indexed: "就绪", notIndexed: "未索引", index: "建立索引", remove: "移除", removeAsk: "移除 {name} 及其索引？文件本身会保留。",
    indexing: "正在索引", queued: "等待中", failedStages: "{n} 个阶段失败", videosN: "{n} 个视频", videosOne: "1 个视频", more: "显示更多",
    uploading: "正在上传", stop: "停止", ask: "提问", askLabel: "你的问题", askHint: "就这个视频提问 …", askAllHint: "就所有视频提问 …",
    suggestions: "试试", thinking: "思考中", thoughts: "推理过程", steps: "步", frames: "帧", operations: "次操作",
    tokens: "词元", llmCalls: "次模型调用", seconds: "秒", confidence: "置信度", sure: "{p} 把握", verified: "已验证", partly: "部分得证", failed: "未得证",
    verdict_verified: "已验证：程序重新检查过", verdict_partly: "部分得证", verdict_failed: "未得证或相矛盾",
    why: "原因", evidence: "证据", notes: "说明", stopped: "已停止。", cancelled: "已停止", understood: "理解为：{q}",
    looked: "看了 {n} 帧", lookedFor: "在 {n} 帧中寻找“{focus}”", proposed: "提出：{text}", checked: "检查：{score}/5", restarted: "服务器重启过，重新开始。",
    newThread: "新对话", conversation: "对话", transcript: "文字稿", report: "报告", chapters: "章节", info: "信息",
    noSpeech: "这个视频里没有人说话。", notTranscribed: "还没有转写。", exportAs: "导出", follow: "跟随播放", renameSpeaker: "{speaker} 的名字", save: "保存",
    unknownSpeaker: "有人", play: "播放", pause: "暂停", frameBack: "后退一帧", frameForward: "前进一帧", mute: "静音", unmute: "取消静音",
    captions: "字幕", fullscreen: "全屏", speed: "速度", timeline: "时间轴", zoomIn: "放大", zoomOut: "缩小", fit: "适应",
    laneShots: "镜头", laneScenes: "场景", laneSpeech: "语音", laneSounds: "声音", laneTexts: "文字", laneHits: "命中", laneEvidence: "证据",
    searchVideo: "搜索这个视频", results: "{n} 个片段", nothing: "没有找到。", seen: "看到", said: "说的话", heard: "听到", onScreen: "屏幕文字",
    scene: "场景 {n}", noRuns: "还没有提问。", asked: "问题", replay: "重放", replaying: "正在重放 …", identical: "不用模型重复一遍：逐字节相同。", different: "重复结果不同：{text}",
    answer: "答案", when: "时间", engine: "引擎", budget: "预算", secondsBudget: "秒", stepsBudget: "步", settings: "限制", unplayable: "浏览器无法播放这个文件，因此显示画面帧。",
    keys: "快捷键", keysHelp: "K 播放 · J L 10 秒 · ← → 5 秒 · , . 一帧 · / 搜索 · M 静音 · F 全屏",
    clip: "保存片段", unreachable: "无法连接服务器，它可能已停止。", lost: "连接中断，正在重试 …", notFound: "没有这个页面。", loading: "加载中 …", open: "打开",
    cannotTell: "无法判断", answeredBy: "{engine}", evidencePage: "证据页", copied: "已复制", firstVisit: "提一个问题开始。答案的每个论断都能跳到对应的画面。",
    topics: "主题", topicAsk: "关注什么？", topicSources: "来源，每行一个：文件夹、文件、订阅、https://…、videos:", topicGo: "开始调查", topicEmpty: "还没有主题。说出对象和来源；简报的每句话都注明出处。", topicRuns: "{n} 份简报",
    statements: "发现", disputes: "来源之间的分歧", topicTimeline: "时间线", sources: "来源", changes: "与上次相比", change_new: "新增", change_changed: "变化", change_gone: "消失", nothingFound: "没有找到。", gaps: "缺少什么", firstHand: "一手", secondHand: "二手", rating: "评级 {n}", sentiment: "语气", again: "再查一次", newer: "较新",
    stories: "故事", storyName: "故事的名字", storySources: "文本、字幕或文件夹的路径，或视频编号，每行一个", storyEmpty: "还没有故事。添加小说、剧本或字幕；答案会引用章节和段落。", storyFacts: "{c} 章 · {e} 个名字 · {r} 种关系", upToChapter: "截至", graph: "人物与关系", mentions: "提到 {n} 次", storyAsk: "就这个故事提问 …", storyAskHint: "可以问某人是谁、两人是什么关系、发生了什么。",
    tools: "工具", toolsHint: "工具是操作的组合。归纳出的工具只有在其他视频的测试中省力且不丢答案时才会被接纳。", measured: "{v} 个视频上的 {q} 个问题", without: "不用", with: "使用", secondsWord: "秒", rightAnswers: "正确答案", notMeasured: "给定的工具，没有接纳测试。", learnedFrom: "来自这些问题",
    skip: "跳到内容", video: "视频", duration: "时长", menu: "菜单", person: "人物", all: "所有视频",
  },
};

const STAGES = {
  shots: "镜头", motion: "运动", frames: "画面", labels: "标签", image_vectors: "图像向量", lens_vectors: "图文向量",
  objects: "物体", pose: "姿态", ocr: "文字", actions: "动作", tracks: "轨迹", transcript: "语音", sounds: "声音",
  captions: "描述", text_vectors: "文本向量", reading: "读取",
};

let current =
  localStorage.getItem("vidence.language") || (navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en");
document.documentElement.lang = current;

export const language = () => current;

export function setLanguage(next) {
  current = next;
  localStorage.setItem("vidence.language", next);
  document.documentElement.lang = next;
}

export function t(key, values = {}) {
  const text = WORDS[current][key] ?? WORDS.en[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

export const stageName = (stage) =>
  current === "zh" ? STAGES[stage] || stage : stage.replaceAll("_", " ");

export function addWords(more) {
  Object.assign(WORDS.en, more.en);
  Object.assign(WORDS.zh, more.zh);
}

export const wordKeys = () => [Object.keys(WORDS.en), Object.keys(WORDS.zh)];
