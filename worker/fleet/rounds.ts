const ROUND_MS = 2_000
/** Timers end with the object. If it is evicted while steps run or wait, the alarm resumes the rounds. */
const BUSY_ALARM_MS = 10_000
/** Stops engines that have been idle for too long, and keeps the warm ones from being stopped by the platform. */
const IDLE_ALARM_MS = 20_000

/** When a fleet looks after its engines. Without either timer or alarm the object sleeps. */
export class Rounds {
  readonly #storage: DurableObjectStorage
  readonly #round: () => void
  #timer: ReturnType<typeof setTimeout> | null = null
  #alarmAt = 0

  constructor(storage: DurableObjectStorage, round: () => void) {
    this.#storage = storage
    this.#round = round
  }

  whileBusy(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      this.#round()
    }, ROUND_MS)
    this.#setAlarm(BUSY_ALARM_MS)
  }

  whileIdle(): void {
    this.#setAlarm(IDLE_ALARM_MS)
  }

  alarmed(): void {
    this.#alarmAt = 0
  }

  #setAlarm(delayMs: number): void {
    const now = Date.now()
    if (this.#alarmAt > now && this.#alarmAt <= now + delayMs) return
    this.#alarmAt = now + delayMs
    void this.#storage.setAlarm(this.#alarmAt)
  }
}
