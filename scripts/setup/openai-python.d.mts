export const ensureOpenaiPython: (log: (line: string) => void) => Promise<string>
