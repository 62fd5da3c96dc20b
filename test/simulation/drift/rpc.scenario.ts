/** A namespace of MetricsObject, as far as the scenario calls it. */
interface Metrics {
  getByName(name: string): {
    name?: string | undefined
    outcomes(fromHour: number): Promise<object[]>
    report(report: never): Promise<object>
  }
}

const errorOf = async (calling: Promise<unknown>) => {
  try {
    await calling
    return 'nothing was thrown'
  } catch (cause) {
    const { name, message, remote } = cause as Error & { remote?: boolean }
    return { isError: cause instanceof Error, isTypeError: cause instanceof TypeError, name, message, remote }
  }
}

const totals = { version: 1, ends: {}, bytesIn: 0, bytesOut: 0, costMicros: 0, sentMicros: 0 }
const report = { accountId: 'acct_drift', totals, heldMicros: 5, wakeAt: null, schemaVersion: 1, ended: null } as never

/** Calls of an object. The errors' class is lost, unless JavaScript itself has it. */
export const rpcScenario = async (metrics: Metrics) => {
  const stub = metrics.getByName('drift')
  return {
    name: stub.name,
    outcomes: await stub.outcomes(0),
    first: await stub.report(report),
    again: await stub.report(report),
    thrown: await errorOf(stub.report(null as never)),
    missing: await errorOf((stub as unknown as { missing(): Promise<void> }).missing()),
  }
}

export const expectedRpc = {
  name: 'drift',
  outcomes: [],
  first: { isNewEnd: false },
  again: { isNewEnd: false },
  thrown: {
    isError: true,
    isTypeError: true,
    name: 'TypeError',
    message: "Cannot destructure property 'accountId' of 'report' as it is null.",
    remote: true,
  },
  missing: {
    isError: true,
    isTypeError: true,
    name: 'TypeError',
    message: 'The RPC receiver does not implement "missing".',
    remote: true,
  },
}
