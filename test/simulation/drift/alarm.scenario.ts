/** The object's alarm is set again while it runs. */
export const alarmScenario = async (
  object: object,
  storage: { setAlarm(at: number): Promise<void> },
): Promise<string[]> => {
  const lines: string[] = []
  const { promise: ranTwice, resolve } = Promise.withResolvers<void>()
  let runs = 0
  const alarm = async () => {
    const run = ++runs
    lines.push(`${run} begins`)
    if (run === 1) await storage.setAlarm(Date.now())
    await new Promise((wake) => setTimeout(wake, 100))
    lines.push(`${run} ends`)
    if (run === 2) resolve()
  }
  Object.assign(object, { alarm })
  await storage.setAlarm(Date.now())
  await ranTwice
  return lines
}

export const expectedAlarm = ['1 begins', '1 ends', '2 begins', '2 ends']
