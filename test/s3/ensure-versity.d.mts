export declare const ensureVersity: () => Promise<string>
