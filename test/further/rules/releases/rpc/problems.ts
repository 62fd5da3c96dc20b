/**
 * Sentences about methods that the last release and this version cannot call in each other, as a type: `never` if there is
 * none. In each direction, arguments must be accepted and results must be understood.
 *
 * A string that the last release does not know is no problem here, such as a new error code in a result: types cannot tell
 * when it is sent.
 */
export type Problems<Last, Today> = {
  [Name in keyof Last & string]: Name extends keyof Today
    ? Last[Name] extends (...args: infer LastArgs) => infer LastResult
      ? Today[Name] extends (...args: infer Args) => infer Result
        ? ProblemsOf<Name, Numbered<LastArgs>, LastResult, Numbered<Args>, Result>
        : `${Name} is no method any more`
      : WithPrefix<Name, Problems<Last[Name], Today[Name]>>
    : `${Name} is missing`
}[keyof Last & string]

type WithPrefix<Name extends string, Problem> = Problem extends string ? `${Name}.${Problem}` : never

type ProblemsOf<Name extends string, LastArgs, LastResult, Args, Result> =
  | Unless<LastArgs, Args, `${Name} refuses the arguments of the last release`>
  | Unless<Args, AnyString<LastArgs>, `${Name} of the last release refuses the arguments of this version`>
  | Unless<LastResult, Result, `the result of ${Name} of the last release lacks what this version expects`>
  | Unless<Result, AnyString<LastResult>, `the result of ${Name} lacks what the last release expects`>

type Unless<Value, Accepted, Problem> = [Value] extends [Accepted] ? never : Problem

/** By their indexes, so that one list of arguments may be longer than another. */
type Numbered<Args extends unknown[]> = {
  [Index in keyof Args as Index extends `${number}` ? Index : never]: Args[Index]
}

/** Who expects nothing ignores what comes. */
type AnyString<T> = [T] extends [ReturnType<() => void>]
  ? unknown
  : T extends string
    ? string
    : T extends object
      ? { [Name in keyof T]: AnyString<T[Name]> }
      : T
