/** A call to one of the product's engine objects, for the Worker of test/worker/support/engine-calls.ts. */
export interface EngineCall {
  engine: string
  call: 'launch' | 'start' | 'state' | 'stopStep' | 'shutDown' | 'destroy'
  args: unknown[]
}
