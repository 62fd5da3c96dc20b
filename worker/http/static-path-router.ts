import type { Result, Router } from 'hono/router'
import { TrieRouter } from 'hono/router/trie-router'

/**
 * Remembers which handlers a path without parameters has, because finding them costs as much as a status read does
 * otherwise. Hono's default router falls back to the TrieRouter for all paths, because its faster one supports no
 * static path beside a parameter (`/webhooks/deliveries/replay` and `/webhooks/deliveries/:id/replay`).
 */
export class StaticPathRouter<Handler> implements Router<Handler> {
  readonly name = 'StaticPathRouter'
  readonly #trie = new TrieRouter<Handler>()
  readonly #staticPaths = new Set<string>()
  readonly #found = new Map<string, Result<Handler>>()

  add(method: string, path: string, handler: Handler): void {
    this.#found.clear()
    this.#trie.add(method, path, handler)
    if (!/[:*?{]/.test(path)) this.#staticPaths.add(path)
  }

  match(method: string, path: string): Result<Handler> {
    // Only registered paths, and standard methods, which are what HTTP servers accept: the map stays small.
    if (!this.#staticPaths.has(path) || !METHODS.has(method)) return this.#trie.match(method, path)
    const name = `${method} ${path}`
    const found = this.#found.get(name) ?? this.#trie.match(method, path)
    this.#found.set(name, found)
    return found
  }
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
