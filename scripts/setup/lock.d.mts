export const withLock: <Result>(path: string, onWait: () => void, work: () => Promise<Result>) => Promise<Result>
export const isAlive: (pid: number) => boolean
