import type { Account } from '../actors/caller.ts'
import type { WatchedLists } from '../actors/watched-lists.ts'
import type { Random } from '../random.ts'
import type { World } from '../world.ts'

/** What an act works with. */
export interface Scene {
  world: World
  account: Account
  lists: WatchedLists
  /** Of this act only: removing other acts does not change it. */
  random: Random
  /** Different for each act. */
  name: string
  /** Requests with the operator's token. */
  operate(method: string, path: string, body?: object): Promise<{ status: number; text: string }>
}

export interface Act {
  /** How often it is chosen, compared with the others. */
  weight: number
  run(scene: Scene): Promise<unknown>
}
