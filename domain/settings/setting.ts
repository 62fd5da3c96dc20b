import type { Readable } from './rules.ts'

/** What takes settings from its environment. `start` is `npm start`, `selfHost` the server of docs/self-hosting.md. */
export type Program = 'worker' | 'container' | 'start' | 'selfHost'

/**
 * A row of the list. `npm start` and the own server also take what they only pass on to the Worker and to containers.
 */
export interface Setting<Value = unknown> extends Readable<Value> {
  /** What it is for: the beginning of a sentence, in Markdown. */
  about: string
  /** Where there is no `default`: what holds then, in Markdown. */
  otherwise?: string
  /** The programs that take it, each with what is different there. */
  takenBy: Partial<Record<Program, Difference>>
}

type Difference = Partial<Pick<Setting, 'rule' | 'default' | 'about' | 'otherwise'>>

/** Nothing is different. */
export const asListed = {} satisfies Difference
