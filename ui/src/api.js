// Requests to the listener.  Each returns the JSON of the answer, or throws ApiError; `open` returns the response.
import { session } from "./session.js";

/** `status` 0: the server did not answer.  `message`: the server's own words, which name the remedy. */
export class ApiError extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

export async function open(method, path, { query = {}, body, headers = {}, signal } = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== "" && value !== undefined && value !== null);
  const url = given.length ? `${path}?${new URLSearchParams(given)}` : path;
  const response = await fetch(url, {
    method,
    signal,
    headers: {
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...(method === "GET" ? {} : { "X-CSRF-Token": session.value?.csrf ?? "" }),
      ...headers,
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  }).catch((error) => {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0, "");
  });
  if (response.status === 401) session.value = null;
  if (!response.ok) throw new ApiError(response.status, (await response.json().catch(() => null))?.detail ?? response.statusText);
  return response;
}

async function send(method, path, options) {
  return (await open(method, path, options)).json().catch(() => null);
}

/** `options`: {query, body, headers, signal}. */
export const get = (path, query, options) => send("GET", path, { query, ...options });
export const post = (path, body = {}, options) => send("POST", path, { body, ...options });
export const put = (path, body, options) => send("PUT", path, { body, ...options });
export const patch = (path, body, options) => send("PATCH", path, { body, ...options });
export const del = (path, query, options) => send("DELETE", path, { query, ...options });
