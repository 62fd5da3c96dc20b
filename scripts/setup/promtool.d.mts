export const ensurePromtool: (log: (line: string) => void) => Promise<string>
