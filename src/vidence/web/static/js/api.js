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
  "started", "restarted", "progress", "thinking", "frames", "operation", "result", "answer", "checked",
  "failed", "finished", "thought", "briefing",
];

// Follow a job: `onEvent` gets every event once and in order, `onEnd` the job when it has ended.
export function follow(jobId, { onEvent, onEnd, onLost }) {
  const source = new EventSource(`/api/jobs/${jobId}/events`);
  let last = 0;
  for (const kind of KINDS) {
    source.addEventListener(kind, (message) => {
      const event = JSON.parse(message.data);
      if (event.number <= last) return;
      last = event.number;
      onEvent(event);
    });
  }
  source.addEventListener("end", (message) => {
    source.close();
    onEnd(JSON.parse(message.data));
  });
  source.onerror = () => onLost && onLost();
  return () => source.close();
}

// Follow all jobs under way.
export function followAll(onJobs) {
  const source = new EventSource("/api/events");
  source.addEventListener("jobs", (message) => onJobs(JSON.parse(message.data).jobs));
  return () => source.close();
}

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
