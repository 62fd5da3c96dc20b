/** Runs acts one after another, whether the one before failed or not. */
export class Sequence {
  #last: Promise<unknown> = Promise.resolve()

  run<T>(act: () => Promise<T>): Promise<T> {
    const run = this.#last.then(act, act)
    this.#last = run
    return run
  }
}
