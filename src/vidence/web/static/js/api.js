// The HTTP API: JSON requests, problems as errors, and server-sent events of jobs.

export class Problem extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

async function request(method, path, body, headers = {}) {
  const options = { method, headers: { ...headers } };
  if (body !== undefined) {
    const raw = body instanceof Blob;
    options.body = raw ? body : JSON.stringify(body);
    options.headers["content-type"] = raw ? "application/octet-stream" : "application/json";
  }
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Problem(0, "unreachable");
  }
  if (response.status === 204) return null;
  const data = await response.json().catch(() => ({}));
  if (!response.ok) throw new Problem(response.status, data.detail || response.statusText);
  return data;
}

const query = (values) => {
  const found = new URLSearchParams();
  for (const [name, value] of Object.entries(values || {})) {
    if (value !== undefined && value !== null && value !== "") found.append(name, value);
  }
  const text = found.toString();
  return text ? `?${text}` : "";
};

export const api = {
  get: (path, values) => request("GET", `/api${path}${query(values)}`),
  post: (path, body) => request("POST", `/api${path}`, body ?? {}),
  put: (path, body) => request("PUT", `/api${path}`, body),
  patch: (path, blob, headers) => request("PATCH", `/api${path}`, blob, headers),
  remove: (path) => request("DELETE", `/api${path}`),
};

export const url = {
  file: (id) => `/api/videos/${id}/file`,
  poster: (id) => `/api/videos/${id}/poster`,
  thumbnail: (id, t) => `/api/videos/${id}/thumbnail?t=${Math.max(0, t).toFixed(1)}`,
  frame: (id, t, side = 960) => `/api/videos/${id}/frame?t=${Math.max(0, t).toFixed(3)}&side=${side}`,
  subtitles: (id, form) => `/api/videos/${id}/subtitles.${form}`,
};

const KINDS = [
  "started", "restarted", "progress", "thinking", "frames", "operation", "result", "spending", "answer", "checked", "graded", "refined",
  "failed", "finished", "thought", "briefing",
];

// Keep a stream open while the page is in front: a browser allows six connections to a server over all its tabs,
// so one that nobody looks at gives its own back. `path` is asked for each time, to go on where it was.
function stream(path, handlers, onLost) {
  let source = null;
  const close = () => { if (source) source.close(); source = null; };
  const open = () => {
    if (source || document.hidden) return;
    source = new EventSource(path());
    for (const [kind, handler] of Object.entries(handlers)) source.addEventListener(kind, (message) => handler(JSON.parse(message.data)));
    source.onerror = () => onLost && onLost();
  };
  const changed = () => (document.hidden ? close() : open());
  document.addEventListener("visibilitychange", changed);
  open();
  return () => { document.removeEventListener("visibilitychange", changed); close(); };
}

// Follow a job: `onEvent` gets every event once and in order, `onEnd` the job when it has ended.
export function follow(jobId, { onEvent, onEnd, onLost }) {
  let last = 0;
  const told = (event) => {
    if (event.number <= last) return;
    last = event.number;
    onEvent(event);
  };
  const handlers = Object.fromEntries(KINDS.map((kind) => [kind, told]));
  const close = stream(() => `/api/jobs/${jobId}/events?after=${last}`, { ...handlers, end: (job) => { close(); onEnd(job); } }, onLost);
  return close;
}

// Follow all jobs under way.
export const followAll = (onJobs) => stream(() => "/api/events", { jobs: (data) => onJobs(data.jobs) });

const PIECE = 4 << 20;
const unfinished = (file) => `vidence.upload:${file.name}:${file.size}:${file.lastModified}`;

// Send a file in pieces; one that was cut off goes on where it stopped, even after a reload.
export async function upload(file, onProgress) {
  const key = unfinished(file);
  let state = null;
  const known = localStorage.getItem(key);
  if (known) state = await api.get(`/uploads/${known}`).catch(() => null);
  if (!state) state = await api.post("/uploads", { name: file.name, size_bytes: file.size });
  localStorage.setItem(key, state.upload_id);
  let tries = 0;
  while (state.offset < file.size) {
    try {
      const piece = file.slice(state.offset, state.offset + PIECE);
      state = await api.patch(`/uploads/${state.upload_id}`, piece, { "upload-offset": String(state.offset) });
      tries = 0;
      onProgress(state.offset / file.size);
    } catch (problem) {
      if (problem.status && problem.status !== 408 && problem.status < 500) throw problem;
      tries += 1;
      if (tries > 8) throw problem;
      await new Promise((done) => setTimeout(done, 500 * tries));
      state = (await api.get(`/uploads/${state.upload_id}`).catch(() => null)) || state;
    }
  }
  localStorage.removeItem(key);
  return api.post(`/uploads/${state.upload_id}/finish`);
}
