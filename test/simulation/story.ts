/** What happened in a history, in words. Nothing is kept unless it is asked for: texts cost more than events. */
export class Story {
  readonly #isTold: boolean
  readonly #now: () => number
  readonly #lines: string[] = []

  constructor(isTold: boolean, now: () => number) {
    this.#isTold = isTold
    this.#now = now
  }

  /** `subject`: a job, an account, an engine. */
  tell(subject: string, text: () => string): void {
    if (this.#isTold) this.#lines.push(`${(this.#now() / 1_000).toFixed(3).padStart(10)} s  ${subject}  ${text()}`)
  }

  /** The lines with one of these words. Without words, all. */
  of(words: readonly string[]): string[] {
    if (words.length === 0) return this.#lines
    return this.#lines.filter((line) => words.some((word) => line.includes(word)))
  }
}
