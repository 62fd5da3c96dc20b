/** What the endpoints for operators answer, from the OpenAPI document. */
import type { operations } from '../../client/src/openapi.ts'

type DataOf<Name extends keyof operations> = operations[Name] extends {
  responses: { 200: { content: { 'application/json': { data: infer Data } } } }
}
  ? Data
  : never

export type Sample = DataOf<'adminGetMetrics'>['samples'][number]
type Fleet = DataOf<'adminListEngines'>
export type Engine = Fleet['engines'][number]
export type WaitingSteps = Fleet['waiting'][number]
/** How many jobs of a source ended in an hour, with one outcome and code. */
export type OutcomeCount = DataOf<'adminListOutcomes'>['outcomes'][number]
export type Outcome = OutcomeCount['outcome']
export type DeadDelivery = DataOf<'adminListDeadDeliveries'>['deliveries'][number]
export type ListedAccount = DataOf<'adminListAccounts'>['accounts'][number]
export type OperatorAccount = DataOf<'adminGetAccount'>

/** What is known of the fleet; undefined before the first answer. */
export interface Snapshot {
  samples?: Sample[] | undefined
  engines?: Engine[] | undefined
  outcomes?: OutcomeCount[] | undefined
}
