export const ensureImageTools: (log: (line: string) => void) => Promise<void>
export const ensurePodmanCompose: (log: (line: string) => void) => Promise<string>
