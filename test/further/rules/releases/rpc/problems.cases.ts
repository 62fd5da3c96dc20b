import type * as last from '../last/rpc.d.ts'
import type { Problems } from './problems.ts'
import type * as today from './surface.ts'

/** `npm run check` compiles this file. An error here says what the last release and this version cannot call in each other. */
type None<Problem extends never> = Problem

export type OfThisVersion = None<Problems<typeof last, typeof today>>

type Step = { jobId: string; rank?: 'batch' }
type Claimed = { lease: string; state: 'running' | 'queued' }
type Last = { claim: (step: Step) => Claimed | null; ended: (placeId: string) => void }
type Claiming<Args extends unknown[], Result> = { claim: (...args: Args) => Result; ended: Last['ended'] }

export type Unchanged = None<Problems<Last, Last>>
export type NewMethod = None<Problems<Last, Last & { freed: () => void }>>
export type OptionalField = None<Problems<Last, Claiming<[Step & { disk?: number }], Claimed | null>>>
export type OptionalArgument = None<Problems<Last, Claiming<[Step, disk?: number], Claimed | null>>>
export type FieldOfResult = None<Problems<Last, Claiming<[Step], (Claimed & { attempt?: number }) | null>>>

type Paused = { lease: string; state: 'running' | 'queued' | 'paused' }
export type NewString = None<Problems<Last, Claiming<[Step], Paused | null>>>

// @ts-expect-error
export type RenamedMethod = None<Problems<Last, { take: Last['claim']; ended: Last['ended'] }>>
// @ts-expect-error
export type RequiredField = None<Problems<Last, Claiming<[Step & { disk: number }], Claimed | null>>>
// @ts-expect-error
export type RequiredArgument = None<Problems<Last, Claiming<[Step, disk: number], Claimed | null>>>
// @ts-expect-error
export type RemovedArgument = None<Problems<Last, Claiming<[], Claimed | null>>>
// @ts-expect-error
export type OtherType = None<Problems<Last, Claiming<[{ jobId: number }], Claimed | null>>>
// @ts-expect-error
export type RemovedString = None<Problems<Claiming<['a' | 'b'], null>, Claiming<['a'], null>>>
// @ts-expect-error
export type RemovedFieldOfResult = None<Problems<Last, Claiming<[Step], { lease: string } | null>>>
// @ts-expect-error
export type RequiredFieldOfResult = None<Problems<Last, Claiming<[Step], (Claimed & { attempt: number }) | null>>>
// @ts-expect-error
export type NewNull = None<Problems<Claiming<[Step], Claimed>, Claiming<[Step], Claimed | null>>>
// @ts-expect-error
export type ResultInsteadOfNone = None<Problems<Last, { claim: Last['claim']; ended: (placeId: string) => boolean }>>
