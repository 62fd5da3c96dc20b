import type { Key, KeyChanges, MadeKey, NewKey } from './api-types.ts'
import { Group, pathOf } from './http/connection.ts'
import type { CallOptions } from './options.ts'

export class Keys extends Group {
  /**
   * Makes an API key. Its `apiKey` is returned only here. A request that may have had its effect is not sent again: after a
   * connection fault, `list` shows whether the key was made.
   *
   * ```ts
   * const { apiKey } = await haul.keys.create({ name: 'ci', scopes: ['read', 'transcribe'], dollarsPerMonth: 5 })
   * ```
   */
  create(key: NewKey, options: CallOptions = {}): Promise<MadeKey> {
    return this.connection.call(options, { method: 'POST', path: '/keys', body: key })
  }

  /** The keys that have not been removed and have not expired. */
  async *list(options: CallOptions = {}): AsyncGenerator<Key, void, undefined> {
    const { keys } = await this.connection.call<{ keys: Key[] }>(options, { path: '/keys' })
    yield* keys
  }

  /** Fields that are left out stay as they are. null takes away a budget or an expiry. */
  update(keyId: string, changes: KeyChanges, options: CallOptions = {}): Promise<Key> {
    return this.connection.call(options, { method: 'PATCH', path: pathOf('keys', keyId), body: changes })
  }

  /** The key is refused from its next request on. Jobs that it has started go on. */
  remove(keyId: string, options: CallOptions = {}): Promise<void> {
    return this.connection.call(options, { method: 'DELETE', path: pathOf('keys', keyId) })
  }
}
