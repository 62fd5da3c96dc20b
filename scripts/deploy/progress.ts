export type Progress = ReturnType<typeof createProgress>

export const createProgress = (steps: number, print: (line: string) => void) => {
  let count = 0
  return {
    step: async <T>(title: string, run: () => Promise<T>, result: (value: T) => string = String): Promise<T> => {
      count += 1
      print(`${count}/${steps} ${title}`)
      const since = performance.now()
      const value = await run()
      print(`    ${result(value)} (${((performance.now() - since) / 1000).toFixed(1)} s)`)
      return value
    },
  }
}
