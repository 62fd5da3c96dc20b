const WINDOW_MS = 4_000

/** Bytes per second over the last seconds. null until there is something to measure. */
export const transferRate = (now: () => number = () => performance.now()) => {
  let samples: { at: number; bytes: number }[] = []
  return (totalBytes: number): number | null => {
    const at = now()
    samples = [...samples.filter((sample) => at - sample.at <= WINDOW_MS), { at, bytes: totalBytes }]
    const [first] = samples
    if (!first || at - first.at < 200) return null
    return ((totalBytes - first.bytes) / (at - first.at)) * 1_000
  }
}
