export declare const AccountObject: {
    addKey: (key: {
        hash: string;
        id: string;
    } & {
        prefix?: string | null;
    }) => boolean | null;
    admit: (identity: {
        endpoint: string;
        keyHash: string;
        needs: ("full key" | "import" | "manage" | "read" | "transcribe")[];
        rateClass: "general" | "import" | "status" | "transcribe";
    } & {
        origin?: string | null;
    }, admission: {
        diskBytes: number | null;
        hold: number;
        idempotency: {
            fingerprint: string;
            key: string;
        } | null;
        kind: "import" | "transcription";
        origin: string | null;
        request: ({
            audioFormat: "m4a" | "mp3" | "opus" | "source" | "wav";
            audioQuality: "best" | "high" | "low" | "lowest" | "medium";
            clip: {
                endSeconds: number | null;
                startSeconds: number | null;
            } | null;
            includeAudio: boolean;
            includeVideo: boolean;
            storageBucket: string | null;
            storageClass: string | null;
            storageFilename: string | null;
            storagePath: string | null;
            storageReturnLocation: boolean;
            store: boolean;
            url: string;
            videoQuality: "1080p" | "1440p" | "144p" | "2160p" | "240p" | "360p" | "480p" | "720p" | "best" | "lowest";
            webhookUrl: string | null;
        } & {
            maxBytes?: number;
            maxCostMicros?: number;
        }) | ({
            captionsFirst: boolean;
            clip: {
                endSeconds: number | null;
                startSeconds: number | null;
            } | null;
            importId: string | null;
            language: string | null;
            maxCostMicros: number | null;
            provider: "builtin" | "provider_a" | "provider_b" | "provider_c" | null;
            providerOptions: string | null;
            speakers: {
                max: number | null;
                min: number | null;
            } | null;
            uploadId: string | null;
            url: string | null;
            webhookUrl: string | null;
            words: boolean;
        } & {
            linked?: {
                chapters: string | null;
                transcripts: {
                    format: "html" | "json" | "srt" | "vtt";
                    language: string | null;
                    url: string;
                }[];
            };
            translate?: "en";
            vocabulary?: {
                keywords: string[];
                prompt: string | null;
            };
        });
        reuseKey: string;
    } & {
        announcedBytes?: number | null;
        jobId?: string;
        joinKey?: string;
        metadata?: {
            [x: string]: string;
        };
        requestId?: string;
        sealedKey?: string | null;
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: true;
            value: {
                isReused: boolean;
                jobId: string;
            };
        } | {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "KEY_BUDGET_EXCEEDED" | "LAST_KEY" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SCOPE_MISSING" | "SERVICE_BUSY" | "SERVICE_UNAVAILABLE" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TOO_MANY_KEYS" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        };
    } & {
        allowsOrigin?: true;
    };
    admitBatch: (identity: {
        endpoint: string;
        keyHash: string;
        needs: ("full key" | "import" | "manage" | "read" | "transcribe")[];
        rateClass: "general" | "import" | "status" | "transcribe";
    } & {
        origin?: string | null;
    }, admission: {
        idempotency: {
            fingerprint: string;
            key: string;
        } | null;
        item: {
            kind: "import";
            request: {
                audioFormat: "m4a" | "mp3" | "opus" | "source" | "wav";
                audioQuality: "best" | "high" | "low" | "lowest" | "medium";
                clip: {
                    endSeconds: number | null;
                    startSeconds: number | null;
                } | null;
                includeAudio: boolean;
                includeVideo: boolean;
                storageBucket: string | null;
                storageClass: string | null;
                storageFilename: string | null;
                storagePath: string | null;
                storageReturnLocation: boolean;
                store: boolean;
                videoQuality: "1080p" | "1440p" | "144p" | "2160p" | "240p" | "360p" | "480p" | "720p" | "best" | "lowest";
                webhookUrl: string | null;
            } & {
                maxBytes?: number;
                maxCostMicros?: number;
            };
        } | {
            kind: "transcription";
            request: {
                captionsFirst: boolean;
                clip: {
                    endSeconds: number | null;
                    startSeconds: number | null;
                } | null;
                language: string | null;
                maxCostMicros: number | null;
                provider: "builtin" | "provider_a" | "provider_b" | "provider_c" | null;
                providerOptions: string | null;
                speakers: {
                    max: number | null;
                    min: number | null;
                } | null;
                webhookUrl: string | null;
                words: boolean;
            } & {
                linked?: {
                    chapters: string | null;
                    transcripts: {
                        format: "html" | "json" | "srt" | "vtt";
                        language: string | null;
                        url: string;
                    }[];
                };
                translate?: "en";
                vocabulary?: {
                    keywords: string[];
                    prompt: string | null;
                };
            };
        };
        maxCostMicros: number | null;
        origin: string | null;
        reuseWithinSeconds: number;
        source: {
            kind: "urls";
            urls: string[];
        } | {
            kind: "playlist";
            limit: number;
            url: string;
        };
        webhookUrl: string | null;
    } & {
        batchId?: string;
        metadata?: {
            [x: string]: string;
        };
        requestId?: string;
        sealedKey?: string | null;
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "KEY_BUDGET_EXCEEDED" | "LAST_KEY" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SCOPE_MISSING" | "SERVICE_BUSY" | "SERVICE_UNAVAILABLE" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TOO_MANY_KEYS" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                batchId: string;
                total: number | null;
                webhookUrl: string | null;
            };
        };
    } & {
        allowsOrigin?: true;
    };
    admitItem: (report: {
        batchId: string;
        index: number | null;
        lease: string;
    }, admission: {
        diskBytes: number | null;
        hold: number;
        reuseKey: string;
    } & {
        announcedBytes?: number | null;
    }) => boolean;
    advance: (lease: {
        jobId: string;
        lease: string;
    } & {
        attempt?: number;
    }, args_1: {
        carry: ({
            audioCodec: string | null;
            contentType: string;
            downloadedBytes: number;
            durationSeconds: number;
            fileSizeBytes: number;
            filename: string;
            height: number | null;
            note: string | null;
            sha256: string;
            stored: {
                attempt: number;
                hasThumbnail: boolean;
            } & {
                secret?: string;
            };
            title: string;
            videoCodec: string | null;
            width: number | null;
        } & {
            billedBytes?: number;
            clip?: {
                actualStartSeconds: number;
                endSeconds: number;
                startSeconds: number;
            };
            readBy?: {
                extractor: string | null;
                extractorVersion: string | null;
            };
            transcoded?: boolean;
        }) | ({
            attempt: number;
            downloadedBytes: number;
            durationSeconds: number;
            pieces: {
                durationSeconds: number;
                key: string;
                offsetSeconds: number;
                sizeBytes: number;
            }[];
            waits: number;
        } & {
            chapters?: {
                endSeconds: number;
                startSeconds: number;
                title: string;
            }[];
            mediaSeconds?: number;
            readBy?: {
                extractor: string | null;
                extractorVersion: string | null;
            };
            title?: string;
            turns?: {
                key: string;
                sizeBytes: number;
            };
        }) | null;
        holdMicros: number;
        keys: string[];
        next: "audio" | "captions" | "deliver" | "fetch" | "recognize";
    }) => boolean;
    authenticate: (identity: {
        endpoint: string;
        keyHash: string;
        needs: ("full key" | "import" | "manage" | "read" | "transcribe")[];
        rateClass: "general" | "import" | "status" | "transcribe";
    } & {
        origin?: string | null;
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "KEY_BUDGET_EXCEEDED" | "LAST_KEY" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SCOPE_MISSING" | "SERVICE_BUSY" | "SERVICE_UNAVAILABLE" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TOO_MANY_KEYS" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: null;
        };
    } & {
        allowsOrigin?: true;
        prices?: {
            builtinPerMinute: number;
            captions: number;
            downloadPerMegabyte: number;
            providerPerMinute: number;
            speechMinimum: number;
        };
    };
    batchItems: (identity: {
        endpoint: string;
        keyHash: string;
        needs: ("full key" | "import" | "manage" | "read" | "transcribe")[];
        rateClass: "general" | "import" | "status" | "transcribe";
    } & {
        origin?: string | null;
    }, batchId: string, args_2: {
        state: "canceled" | "completed" | "failed" | "queued" | "running" | "skipped" | "waiting" | null;
    }, page: {
        after: number | null;
        limit: number;
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "KEY_BUDGET_EXCEEDED" | "LAST_KEY" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SCOPE_MISSING" | "SERVICE_BUSY" | "SERVICE_UNAVAILABLE" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TOO_MANY_KEYS" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                code: string | null;
                costMicros: number | null;
                index: number;
                jobId: string | null;
                message: string | null;
                state: "canceled" | "completed" | "failed" | "queued" | "running" | "skipped" | "waiting";
                title: string | null;
                url: string;
            }[];
        };
    } & {
        allowsOrigin?: true;
    };
    batches: (identity: {
        endpoint: string;
        keyHash: string;
        needs: ("full key" | "import" | "manage" | "read" | "transcribe")[];
        rateClass: "general" | "import" | "status" | "transcribe";
    } & {
        origin?: string | null;
    }, args_1: {
        before: string | null;
        limit: number;
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "KEY_BUDGET_EXCEEDED" | "LAST_KEY" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SCOPE_MISSING" | "SERVICE_BUSY" | "SERVICE_UNAVAILABLE" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TOO_MANY_KEYS" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: ({
                completedAt: number | null;
                costMicros: number;
                counts: {
                    completed: number;
                    failed: number;
                    running: number;
                    skipped: number;
                    total: number | null;
                    waiting: number;
                };
                createdAt: number;
                failure: ({
                    code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "KEY_BUDGET_EXCEEDED" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "OPTION_UNSUPPORTED" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                    message: string;
                    retryable: boolean;
                } & {
                    quote?: {
                        costMicros: number;
                        seconds: number;
                    } & {
                        isEstimate?: boolean;
                    };
                }) | null;
                id: string;
                kind: "import" | "transcription";
                maxCostMicros: number | null;
                origin: string | null;
                state: "canceled" | "completed" | "failed" | "queued" | "running";
                title: string | null;
                webhookUrl: string | null;
            } & {
                metadata?: {
                    [x: string]: string;
                };
            })[];
        };
    } & {
        allowsOrigin?: true;
    };
    beginWebhookTest: (identity: {
        endpoint: string;
        keyHash: string;
        needs: ("full key" | "import" | "manage" | "read" | "transcribe")[];
        rateClass: "general" | "import" | "status" | "transcribe";
    } & {
        origin?: string | null;
    }, url: string) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "KEY_BUDGET_EXCEEDED" | "LAST_KEY" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SCOPE_MISSING" | "SERVICE_BUSY" | "SERVICE_UNAVAILABLE" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TOO_MANY_KEYS" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                batch: ({
                    completedAt: number | null;
                    costMicros: number;
                    counts: {
                        completed: number;
                        failed: number;
                        running: number;
                        skipped: number;
                        total: number | null;
                        waiting: number;
                    };
                    createdAt: number;
                    failure: ({
                        code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "KEY_BUDGET_EXCEEDED" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "OPTION_UNSUPPORTED" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                        message: string;
                        retryable: boolean;
                    } & {
                        quote?: {
                            costMicros: number;
                            seconds: number;
                        } & {
                            isEstimate?: boolean;
                        };
                    }) | null;
                    id: string;
                    kind: "import" | "transcription";
                    maxCostMicros: number | null;
                    origin: string | null;
                    state: "canceled" | "completed" | "failed" | "queued" | "running";
                    title: string | null;
                    webhookUrl: string | null;
                } & {
                    metadata?: {
                        [x: string]: string;
                    };
                }) | null;
                delivery: {
                    attemptError: "ADDRESS_NOT_PUBLIC" | "CONNECTION_FAILED" | "INTERRUPTED" | "REDIRECTED" | "REFUSED" | "TIMED_OUT" | null;
                    attemptedAt: number | null;
                    attempts: number;
                    batchId: string | null;
                    createdAt: number;
                    id: string;
                    jobId: string | null;
                    nextAt: number | null;
                    responseBody: string | null;
                    state: "delivered" | "failed" | "pending";
                    status: number | null;
                    type: "batch.canceled" | "batch.completed" | "batch.failed" | "import.completed" | "import.failed" | "transcription.completed" | "transcription.failed" | "webhook.test";
                    url: string;
                };
                job: ({
                    attempts: number;
                    carry: ({
                        audioCodec: string | null;
                        contentType: string;
                        downloadedBytes: number;
                        durationSeconds: number;
                        fileSizeBytes: number;
                        filename: string;
                        height: number | null;
                        note: string | null;
                        sha256: string;
                        stored: {
                            attempt: number;
                            hasThumbnail: boolean;
                        } & {
                            secret?: string;
                        };
                        title: string;
                        videoCodec: string | null;
                        width: number | null;
                    } & {
                        billedBytes?: number;
                        clip?: {
                            actualStartSeconds: number;
                            endSeconds: number;
                            startSeconds: number;
                        };
                        readBy?: {
                            extractor: string | null;
                            extractorVersion: string | null;
                        };
                        transcoded?: boolean;
                    }) | null;
                    completedAt: number | null;
                    createdAt: number;
                    failure: ({
                        code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "KEY_BUDGET_EXCEEDED" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "OPTION_UNSUPPORTED" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                        message: string;
                        retryable: boolean;
                    } & {
                        quote?: {
                            costMicros: number;
                            seconds: number;
                        } & {
                            isEstimate?: boolean;
                        };
                    }) | null;
                    id: string;
                    kind: "import";
                    leaseNumber: number;
                    origin: string | null;
                    progress: ({
                        bytesPerSecond: number | null;
                        downloadedBytes: number;
                        percent: number | null;
                        stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
                        totalBytes: number | null;
                    } & {
                        durationIsEstimate?: boolean;
                        durationSeconds?: number | null;
                        estimatedBytes?: number;
                        neededBytes?: number;
                        wantedBytes?: number;
                        wantedSeconds?: number;
                    }) | null;
                    removedAt: number | null;
                    request: {
                        audioFormat: "m4a" | "mp3" | "opus" | "source" | "wav";
                        audioQuality: "best" | "high" | "low" | "lowest" | "medium";
                        clip: {
                            endSeconds: number | null;
                            startSeconds: number | null;
                        } | null;
                        includeAudio: boolean;
                        includeVideo: boolean;
                        storageBucket: string | null;
                        storageClass: string | null;
                        storageFilename: string | null;
                        storagePath: string | null;
                        storageReturnLocation: boolean;
                        store: boolean;
                        url: string;
                        videoQuality: "1080p" | "1440p" | "144p" | "2160p" | "240p" | "360p" | "480p" | "720p" | "best" | "lowest";
                        webhookUrl: string | null;
                    } & {
                        maxBytes?: number;
                        maxCostMicros?: number;
                    };
                    result: ({
                        audioCodec: string | null;
                        bucket: {
                            bucket: string;
                            key: string;
                            url: string;
                        } | null;
                        contentType: string;
                        costMicros: number;
                        downloadedBytes: number;
                        durationSeconds: number;
                        expiresAt: number;
                        fileSizeBytes: number;
                        filename: string;
                        height: number | null;
                        note: string | null;
                        sha256: string;
                        stored: {
                            attempt: number;
                            hasThumbnail: boolean;
                        } & {
                            secret?: string;
                        };
                        title: string;
                        videoCodec: string | null;
                        width: number | null;
                    } & {
                        billedBytes?: number;
                        clip?: {
                            actualStartSeconds: number;
                            endSeconds: number;
                            startSeconds: number;
                        };
                        readBy?: {
                            extractor: string | null;
                            extractorVersion: string | null;
                        };
                        transcoded?: boolean;
                    }) | null;
                    startedAt: number | null;
                    state: "completed" | "failed" | "queued" | "running";
                    step: "audio" | "captions" | "deliver" | "fetch" | "recognize" | null;
                } & {
                    batch?: {
                        id: string;
                        index: number;
                    };
                    keyId?: string | null;
                    metadata?: {
                        [x: string]: string;
                    };
                    prices?: {
                        builtinPerMinute: number;
                        captions: number;
                        downloadPerMegabyte: number;
                        providerPerMinute: number;
                        speechMinimum: number;
                    };
                }) | ({
                    attempts: number;
                    carry: ({
                        attempt: number;
                        downloadedBytes: number;
                        durationSeconds: number;
                        pieces: {
                            durationSeconds: number;
                            key: string;
                            offsetSeconds: number;
                            sizeBytes: number;
                        }[];
                        waits: number;
                    } & {
                        chapters?: {
                            endSeconds: number;
                            startSeconds: number;
                            title: string;
                        }[];
                        mediaSeconds?: number;
                        readBy?: {
                            extractor: string | null;
                            extractorVersion: string | null;
                        };
                        title?: string;
                        turns?: {
                            key: string;
                            sizeBytes: number;
                        };
                    }) | null;
                    completedAt: number | null;
                    createdAt: number;
                    failure: ({
                        code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "KEY_BUDGET_EXCEEDED" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "OPTION_UNSUPPORTED" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                        message: string;
                        retryable: boolean;
                    } & {
                        quote?: {
                            costMicros: number;
                            seconds: number;
                        } & {
                            isEstimate?: boolean;
                        };
                    }) | null;
                    id: string;
                    kind: "transcription";
                    leaseNumber: number;
                    origin: string | null;
                    progress: ({
                        bytesPerSecond: number | null;
                        downloadedBytes: number;
                        percent: number | null;
                        stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
                        totalBytes: number | null;
                    } & {
                        durationIsEstimate?: boolean;
                        durationSeconds?: number | null;
                        estimatedBytes?: number;
                        neededBytes?: number;
                        wantedBytes?: number;
                        wantedSeconds?: number;
                    }) | null;
                    removedAt: number | null;
                    request: {
                        captionsFirst: boolean;
                        clip: {
                            endSeconds: number | null;
                            startSeconds: number | null;
                        } | null;
                        importId: string | null;
                        language: string | null;
                        maxCostMicros: number | null;
                        provider: "builtin" | "provider_a" | "provider_b" | "provider_c" | null;
                        providerOptions: string | null;
                        speakers: {
                            max: number | null;
                            min: number | null;
                        } | null;
                        uploadId: string | null;
                        url: string | null;
                        webhookUrl: string | null;
                        words: boolean;
                    } & {
                        linked?: {
                            chapters: string | null;
                            transcripts: {
                                format: "html" | "json" | "srt" | "vtt";
                                language: string | null;
                                url: string;
                            }[];
                        };
                        translate?: "en";
                        vocabulary?: {
                            keywords: string[];
                            prompt: string | null;
                        };
                    };
                    result: ({
                        attempt: number;
                        chapters: {
                            endSeconds: number;
                            startSeconds: number;
                            title: string;
                        }[];
                        costMicros: number;
                        downloadCostMicros: number | null;
                        durationSeconds: number;
                        hasSpeakers: boolean;
                        hasWords: boolean;
                        language: string;
                        plainBytes: number | null;
                        segments: number;
                        source: "builtin" | "platform_captions" | "provider_a" | "provider_b" | "provider_c";
                        step: "audio" | "captions" | "deliver" | "fetch" | "recognize";
                        title: string | null;
                    } & {
                        languageProbability?: number;
                        model?: string;
                        providerService?: "assemblyai" | "deepgram" | "openai";
                        readBy?: {
                            extractor: string | null;
                            extractorVersion: string | null;
                        };
                        secret?: string;
                        translatedTo?: "en";
                        vocabulary?: boolean;
                    }) | null;
                    startedAt: number | null;
                    state: "completed" | "failed" | "queued" | "running";
                    step: "audio" | "captions" | "deliver" | "fetch" | "recognize" | null;
                } & {
                    batch?: {
                        id: string;
                        index: number;
                    };
                    keyId?: string | null;
                    metadata?: {
                        [x: string]: string;
                    };
                    prices?: {
                        builtinPerMinute: number;
                        captions: number;
                        downloadPerMegabyte: number;
                        providerPerMinute: number;
                        speechMinimum: number;
                    };
                }) | null;
                lease: string;
                seeds: string[];
            };
        };
    } & {
        allowsOrigin?: true;
    };
    cancel: (identity: {
        endpoint: string;
        keyHash: string;
        needs: ("full key" | "import" | "manage" | "read" | "transcribe")[];
        rateClass: "general" | "import" | "status" | "transcribe";
    } & {
        origin?: string | null;
    }, jobId: string) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "KEY_BUDGET_EXCEEDED" | "LAST_KEY" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SCOPE_MISSING" | "SERVICE_BUSY" | "SERVICE_UNAVAILABLE" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TOO_MANY_KEYS" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                job: ({
                    attempts: number;
                    carry: ({
                        audioCodec: string | null;
                        contentType: string;
                        downloadedBytes: number;
                        durationSeconds: number;
                        fileSizeBytes: number;
                        filename: string;
                        height: number | null;
                        note: string | null;
                        sha256: string;
                        stored: {
                            attempt: number;
                            hasThumbnail: boolean;
                        } & {
                            secret?: string;
                        };
                        title: string;
                        videoCodec: string | null;
                        width: number | null;
                    } & {
                        billedBytes?: number;
                        clip?: {
                            actualStartSeconds: number;
                            endSeconds: number;
                            startSeconds: number;
                        };
                        readBy?: {
                            extractor: string | null;
                            extractorVersion: string | null;
                        };
                        transcoded?: boolean;
                    }) | null;
                    completedAt: number | null;
                    createdAt: number;
                    failure: ({
                        code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "KEY_BUDGET_EXCEEDED" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "OPTION_UNSUPPORTED" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                        message: string;
                        retryable: boolean;
                    } & {
                        quote?: {
                            costMicros: number;
                            seconds: number;
                        } & {
                            isEstimate?: boolean;
                        };
                    }) | null;
                    id: string;
                    kind: "import";
                    leaseNumber: number;
                    origin: string | null;
                    progress: ({
                        bytesPerSecond: number | null;
                        downloadedBytes: number;
                        percent: number | null;
                        stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
                        totalBytes: number | null;
                    } & {
                        durationIsEstimate?: boolean;
                        durationSeconds?: number | null;
                        estimatedBytes?: number;
                        neededBytes?: number;
                        wantedBytes?: number;
                        wantedSeconds?: number;
                    }) | null;
                    removedAt: number | null;
                    request: {
                        audioFormat: "m4a" | "mp3" | "opus" | "source" | "wav";
                        audioQuality: "best" | "high" | "low" | "lowest" | "medium";
                        clip: {
                            endSeconds: number | null;
                            startSeconds: number | null;
                        } | null;
                        includeAudio: boolean;
                        includeVideo: boolean;
                        storageBucket: string | null;
                        storageClass: string | null;
                        storageFilename: string | null;
                        storagePath: string | null;
                        storageReturnLocation: boolean;
                        store: boolean;
                        url: string;
                        videoQuality: "1080p" | "1440p" | "144p" | "2160p" | "240p" | "360p" | "480p" | "720p" | "best" | "lowest";
                        webhookUrl: string | null;
                    } & {
                        maxBytes?: number;
                        maxCostMicros?: number;
                    };
                    result: ({
                        audioCodec: string | null;
                        bucket: {
                            bucket: string;
                            key: string;
                            url: string;
                        } | null;
                        contentType: string;
                        costMicros: number;
                        downloadedBytes: number;
                        durationSeconds: number;
                        expiresAt: number;
                        fileSizeBytes: number;
                        filename: string;
                        height: number | null;
                        note: string | null;
                        sha256: string;
                        stored: {
                            attempt: number;
                            hasThumbnail: boolean;
                        } & {
                            secret?: string;
                        };
                        title: string;
                        videoCodec: string | null;
                        width: number | null;
                    } & {
                        billedBytes?: number;
                        clip?: {
                            actualStartSeconds: number;
                            endSeconds: number;
                            startSeconds: number;
                        };
                        readBy?: {
                            extractor: string | null;
                            extractorVersion: string | null;
                        };
                        transcoded?: boolean;
                    }) | null;
                    startedAt: number | null;
                    state: "completed" | "failed" | "queued" | "running";
                    step: "audio" | "captions" | "deliver" | "fetch" | "recognize" | null;
                } & {
                    batch?: {
                        id: string;
                        index: number;
                    };
                    keyId?: string | null;
                    metadata?: {
                        [x: string]: string;
                    };
                    prices?: {
                        builtinPerMinute: number;
                        captions: number;
                        downloadPerMegabyte: number;
                        providerPerMinute: number;
                        speechMinimum: number;
                    };
                }) | ({
                    attempts: number;
                    carry: ({
                        attempt: number;
                        downloadedBytes: number;
                        durationSeconds: number;
                        pieces: {
                            durationSeconds: number;
                            key: string;
                            offsetSeconds: number;
                            sizeBytes: number;
                        }[];
                        waits: number;
                    } & {
                        chapters?: {
                            endSeconds: number;
                            startSeconds: number;
                            title: string;
                        }[];
                        mediaSeconds?: number;
                        readBy?: {
                            extractor: string | null;
                            extractorVersion: string | null;
                        };
                        title?: string;
                        turns?: {
                            key: string;
                            sizeBytes: number;
                        };
                    }) | null;
                    completedAt: number | null;
                    createdAt: number;
                    failure: ({
                        code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "KEY_BUDGET_EXCEEDED" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "OPTION_UNSUPPORTED" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                        message: string;
                        retryable: boolean;
                    } & {
                        quote?: {
                            costMicros: number;
                            seconds: number;
                        } & {
                            isEstimate?: boolean;
                        };
                    }) | null;
                    id: string;
                    kind: "transcription";
                    leaseNumber: number;
                    origin: string | null;
                    progress: ({
                        bytesPerSecond: number | null;
                        downloadedBytes: number;
                        percent: number | null;
                        stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
                        totalBytes: number | null;
                    } & {
                        durationIsEstimate?: boolean;
                        durationSeconds?: number | null;
                        estimatedBytes?: number;
                        neededBytes?: number;
                        wantedBytes?: number;
                        wantedSeconds?: number;
                    }) | null;
                    removedAt: number | null;
                    request: {
                        captionsFirst: boolean;
                        clip: {
                            endSeconds: number | null;
                            startSeconds: number | null;
                        } | null;
                        importId: string | null;
                        language: string | null;
                        maxCostMicros: number | null;
                        provider: "builtin" | "provider_a" | "provider_b" | "provider_c" | null;
                        providerOptions: string | null;
                        speakers: {
                            max: number | null;
                            min: number | null;
                        } | null;
                        uploadId: string | null;
                        url: string | null;
                        webhookUrl: string | null;
                        words: boolean;
                    } & {
                        linked?: {
                            chapters: string | null;
                            transcripts: {
                                format: "html" | "json" | "srt" | "vtt";
                                language: string | null;
                                url: string;
                            }[];
                        };
                        translate?: "en";
                        vocabulary?: {
                            keywords: string[];
                            prompt: string | null;
                        };
                    };
                    result: ({
                        attempt: number;
                        chapters: {
                            endSeconds: number;
                            startSeconds: number;
                            title: string;
                        }[];
                        costMicros: number;
                        downloadCostMicros: number | null;
                        durationSeconds: number;
                        hasSpeakers: boolean;
                        hasWords: boolean;
                        language: string;
                        plainBytes: number | null;
                        segments: number;
                        source: "builtin" | "platform_captions" | "provider_a" | "provider_b" | "provider_c";
                        step: "audio" | "captions" | "deliver" | "fetch" | "recognize";
                        title: string | null;
                    } & {
                        languageProbability?: number;
                        model?: string;
                        providerService?: "assemblyai" | "deepgram" | "openai";
                        readBy?: {
                            extractor: string | null;
                            extractorVersion: string | null;
                        };
                        secret?: string;
                        translatedTo?: "en";
                        vocabulary?: boolean;
                    }) | null;
                    startedAt: number | null;
                    state: "completed" | "failed" | "queued" | "running";
                    step: "audio" | "captions" | "deliver" | "fetch" | "recognize" | null;
                } & {
                    batch?: {
                        id: string;
                        index: number;
                    };
                    keyId?: string | null;
                    metadata?: {
                        [x: string]: string;
                    };
                    prices?: {
                        builtinPerMinute: number;
                        captions: number;
                        downloadPerMegabyte: number;
                        providerPerMinute: number;
                        speechMinimum: number;
                    };
                });
                version: number;
            };
        };
    } & {
        allowsOrigin?: true;
    };
    cancelBatch: (identity: {
        endpoint: string;
        keyHash: string;
        needs: ("full key" | "import" | "manage" | "read" | "transcribe")[];
        rateClass: "general" | "import" | "status" | "transcribe";
    } & {
        origin?: string | null;
    }, batchId: string) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "KEY_BUDGET_EXCEEDED" | "LAST_KEY" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SCOPE_MISSING" | "SERVICE_BUSY" | "SERVICE_UNAVAILABLE" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TOO_MANY_KEYS" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                batch: {
                    completedAt: number | null;
                    costMicros: number;
                    counts: {
                        completed: number;
                        failed: number;
                        running: number;
                        skipped: number;
                        total: number | null;
                        waiting: number;
                    };
                    createdAt: number;
                    failure: ({
                        code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "KEY_BUDGET_EXCEEDED" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "OPTION_UNSUPPORTED" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                        message: string;
                        retryable: boolean;
                    } & {
                        quote?: {
                            costMicros: number;
                            seconds: number;
                        } & {
                            isEstimate?: boolean;
                        };
                    }) | null;
                    id: string;
                    kind: "import" | "transcription";
                    maxCostMicros: number | null;
                    origin: string | null;
                    state: "canceled" | "completed" | "failed" | "queued" | "running";
                    title: string | null;
                    webhookUrl: string | null;
                } & {
                    metadata?: {
                        [x: string]: string;
                    };
                };
                stopped: {
                    attempt: number;
                    jobId: string;
                }[];
            };
        };
    } & {
        allowsOrigin?: true;
    };
    change: (args_0: {} & {
        isSuspended?: boolean;
        limits?: {} & {
            concurrentJobs?: {} & {
                import?: number | null;
                transcription?: number | null;
            };
            freeWork?: {} & {
                bytesPerHour?: number | null;
                engineSecondsPerHour?: number | null;
            };
            requestsPerHour?: {} & {
                general?: number | null;
                import?: number | null;
                status?: number | null;
                transcribe?: number | null;
            };
            uploadBytes?: number | null;
        };
        name?: string;
        prices?: ({} & {
            builtinPerMinute?: number;
            captions?: number;
            downloadPerMegabyte?: number;
            providerPerMinute?: number;
            speechMinimum?: number;
        }) | null;
    }) => ({
        available: number;
        balance: number;
        createdAt: number;
        held: number;
        id: string;
        isSuspended: boolean;
        lastUsedAt: number | null;
        limits: {
            concurrentJobs: {
                import: number;
                transcription: number;
            };
            freeWork: {
                bytesPerHour: number;
                engineSecondsPerHour: number;
            };
            requestsPerHour: {
                general: number;
                import: number;
                status: number;
                transcribe: number;
            };
            uploadBytes: number;
        };
        liveJobs: number;
        name: string;
    } & {
        prices?: {
            builtinPerMinute: number;
            captions: number;
            downloadPerMegabyte: number;
            providerPerMinute: number;
            speechMinimum: number;
        };
    }) | null;
    changeKey: (identity: {
        endpoint: string;
        keyHash: string;
        needs: ("full key" | "import" | "manage" | "read" | "transcribe")[];
        rateClass: "general" | "import" | "status" | "transcribe";
    } & {
        origin?: string | null;
    }, id: string, changes: {} & {
        expiresAt?: number | null;
        monthlyBudget?: number | null;
        name?: string | null;
        origins?: string[];
        scopes?: ("import" | "manage" | "read" | "transcribe")[];
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "KEY_BUDGET_EXCEEDED" | "LAST_KEY" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SCOPE_MISSING" | "SERVICE_BUSY" | "SERVICE_UNAVAILABLE" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TOO_MANY_KEYS" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                createdAt: number;
                expiresAt: number | null;
                held: number;
                id: string;
                lastUsedAt: number | null;
                monthlyBudget: number | null;
                name: string | null;
                origins: string[];
                prefix: string | null;
                scopes: ("import" | "manage" | "read" | "transcribe")[];
                spentThisMonth: number;
            };
        };
    } & {
        allowsOrigin?: true;
    };
    changeSince: (keyHash: string, jobId: string, seen: number) => "unchanged" | {
        job: ({
            attempts: number;
            carry: ({
                audioCodec: string | null;
                contentType: string;
                downloadedBytes: number;
                durationSeconds: number;
                fileSizeBytes: number;
                filename: string;
                height: number | null;
                note: string | null;
                sha256: string;
                stored: {
                    attempt: number;
                    hasThumbnail: boolean;
                } & {
                    secret?: string;
                };
                title: string;
                videoCodec: string | null;
                width: number | null;
            } & {
                billedBytes?: number;
                clip?: {
                    actualStartSeconds: number;
                    endSeconds: number;
                    startSeconds: number;
                };
                readBy?: {
                    extractor: string | null;
                    extractorVersion: string | null;
                };
                transcoded?: boolean;
            }) | null;
            completedAt: number | null;
            createdAt: number;
            failure: ({
                code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "KEY_BUDGET_EXCEEDED" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "OPTION_UNSUPPORTED" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                message: string;
                retryable: boolean;
            } & {
                quote?: {
                    costMicros: number;
                    seconds: number;
                } & {
                    isEstimate?: boolean;
                };
            }) | null;
            id: string;
            kind: "import";
            leaseNumber: number;
            origin: string | null;
            progress: ({
                bytesPerSecond: number | null;
                downloadedBytes: number;
                percent: number | null;
                stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
                totalBytes: number | null;
            } & {
                durationIsEstimate?: boolean;
                durationSeconds?: number | null;
                estimatedBytes?: number;
                neededBytes?: number;
                wantedBytes?: number;
                wantedSeconds?: number;
            }) | null;
            removedAt: number | null;
            request: {
                audioFormat: "m4a" | "mp3" | "opus" | "source" | "wav";
                audioQuality: "best" | "high" | "low" | "lowest" | "medium";
                clip: {
                    endSeconds: number | null;
                    startSeconds: number | null;
                } | null;
                includeAudio: boolean;
                includeVideo: boolean;
                storageBucket: string | null;
                storageClass: string | null;
                storageFilename: string | null;
                storagePath: string | null;
                storageReturnLocation: boolean;
                store: boolean;
                url: string;
                videoQuality: "1080p" | "1440p" | "144p" | "2160p" | "240p" | "360p" | "480p" | "720p" | "best" | "lowest";
                webhookUrl: string | null;
            } & {
                maxBytes?: number;
                maxCostMicros?: number;
            };
            result: ({
                audioCodec: string | null;
                bucket: {
                    bucket: string;
                    key: string;
                    url: string;
                } | null;
                contentType: string;
                costMicros: number;
                downloadedBytes: number;
                durationSeconds: number;
                expiresAt: number;
                fileSizeBytes: number;
                filename: string;
                height: number | null;
                note: string | null;
                sha256: string;
                stored: {
                    attempt: number;
                    hasThumbnail: boolean;
                } & {
                    secret?: string;
                };
                title: string;
                videoCodec: string | null;
                width: number | null;
            } & {
                billedBytes?: number;
                clip?: {
                    actualStartSeconds: number;
                    endSeconds: number;
                    startSeconds: number;
                };
                readBy?: {
                    extractor: string | null;
                    extractorVersion: string | null;
                };
                transcoded?: boolean;
            }) | null;
            startedAt: number | null;
            state: "completed" | "failed" | "queued" | "running";
            step: "audio" | "captions" | "deliver" | "fetch" | "recognize" | null;
        } & {
            batch?: {
                id: string;
                index: number;
            };
            keyId?: string | null;
            metadata?: {
                [x: string]: string;
            };
            prices?: {
                builtinPerMinute: number;
                captions: number;
                downloadPerMegabyte: number;
                providerPerMinute: number;
                speechMinimum: number;
            };
        }) | ({
            attempts: number;
            carry: ({
                attempt: number;
                downloadedBytes: number;
                durationSeconds: number;
                pieces: {
                    durationSeconds: number;
                    key: string;
                    offsetSeconds: number;
                    sizeBytes: number;
                }[];
                waits: number;
            } & {
                chapters?: {
                    endSeconds: number;
                    startSeconds: number;
                    title: string;
                }[];
                mediaSeconds?: number;
                readBy?: {
                    extractor: string | null;
                    extractorVersion: string | null;
                };
                title?: string;
                turns?: {
                    key: string;
                    sizeBytes: number;
                };
            }) | null;
            completedAt: number | null;
            createdAt: number;
            failure: ({
                code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "KEY_BUDGET_EXCEEDED" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "OPTION_UNSUPPORTED" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                message: string;
                retryable: boolean;
            } & {
                quote?: {
                    costMicros: number;
                    seconds: number;
                } & {
                    isEstimate?: boolean;
                };
            }) | null;
            id: string;
            kind: "transcription";
            leaseNumber: number;
            origin: string | null;
            progress: ({
                bytesPerSecond: number | null;
                downloadedBytes: number;
                percent: number | null;
                stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
                totalBytes: number | null;
            } & {
                durationIsEstimate?: boolean;
                durationSeconds?: number | null;
                estimatedBytes?: number;
                neededBytes?: number;
                wantedBytes?: number;
                wantedSeconds?: number;
            }) | null;
            removedAt: number | null;
            request: {
                captionsFirst: boolean;
                clip: {
                    endSeconds: number | null;
                    startSeconds: number | null;
                } | null;
                importId: string | null;
                language: string | null;
                maxCostMicros: number | null;
                provider: "builtin" | "provider_a" | "provider_b" | "provider_c" | null;
                providerOptions: string | null;
                speakers: {
                    max: number | null;
                    min: number | null;
                } | null;
                uploadId: string | null;
                url: string | null;
                webhookUrl: string | null;
                words: boolean;
            } & {
                linked?: {
                    chapters: string | null;
                    transcripts: {
                        format: "html" | "json" | "srt" | "vtt";
                        language: string | null;
                        url: string;
                    }[];
                };
                translate?: "en";
                vocabulary?: {
                    keywords: string[];
                    prompt: string | null;
                };
            };
            result: ({
                attempt: number;
                chapters: {
                    endSeconds: number;
                    startSeconds: number;
                    title: string;
                }[];
                costMicros: number;
                downloadCostMicros: number | null;
                durationSeconds: number;
                hasSpeakers: boolean;
                hasWords: boolean;
                language: string;
                plainBytes: number | null;
                segments: number;
                source: "builtin" | "platform_captions" | "provider_a" | "provider_b" | "provider_c";
                step: "audio" | "captions" | "deliver" | "fetch" | "recognize";
                title: string | null;
            } & {
                languageProbability?: number;
                model?: string;
                providerService?: "assemblyai" | "deepgram" | "openai";
                readBy?: {
                    extractor: string | null;
                    extractorVersion: string | null;
                };
                secret?: string;
                translatedTo?: "en";
                vocabulary?: boolean;
            }) | null;
            startedAt: number | null;
            state: "completed" | "failed" | "queued" | "running";
            step: "audio" | "captions" | "deliver" | "fetch" | "recognize" | null;
        } & {
            batch?: {
                id: string;
                index: number;
            };
            keyId?: string | null;
            metadata?: {
                [x: string]: string;
            };
            prices?: {
                builtinPerMinute: number;
                captions: number;
                downloadPerMegabyte: number;
                providerPerMinute: number;
                speechMinimum: number;
            };
        });
        version: number;
    } | null;
    checkKey: (identity: {
        endpoint: string;
        keyHash: string;
        needs: ("full key" | "import" | "manage" | "read" | "transcribe")[];
        rateClass: "general" | "import" | "status" | "transcribe";
    } & {
        origin?: string | null;
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "KEY_BUDGET_EXCEEDED" | "LAST_KEY" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SCOPE_MISSING" | "SERVICE_BUSY" | "SERVICE_UNAVAILABLE" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TOO_MANY_KEYS" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: null;
        };
    } & {
        allowsOrigin?: true;
    };
    checkPreview: (identity: {
        endpoint: string;
        keyHash: string;
        needs: ("full key" | "import" | "manage" | "read" | "transcribe")[];
        rateClass: "general" | "import" | "status" | "transcribe";
    } & {
        origin?: string | null;
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "KEY_BUDGET_EXCEEDED" | "LAST_KEY" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SCOPE_MISSING" | "SERVICE_BUSY" | "SERVICE_UNAVAILABLE" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TOO_MANY_KEYS" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: null;
        };
    } & {
        allowsOrigin?: true;
        prices?: {
            builtinPerMinute: number;
            captions: number;
            downloadPerMegabyte: number;
            providerPerMinute: number;
            speechMinimum: number;
        };
    };
    claim: (jobId: string, step: "audio" | "captions" | "deliver" | "fetch" | "recognize", lease?: string | undefined, leases?: number | undefined) => ({
        job: ({
            attempts: number;
            carry: ({
                audioCodec: string | null;
                contentType: string;
                downloadedBytes: number;
                durationSeconds: number;
                fileSizeBytes: number;
                filename: string;
                height: number | null;
                note: string | null;
                sha256: string;
                stored: {
                    attempt: number;
                    hasThumbnail: boolean;
                } & {
                    secret?: string;
                };
                title: string;
                videoCodec: string | null;
                width: number | null;
            } & {
                billedBytes?: number;
                clip?: {
                    actualStartSeconds: number;
                    endSeconds: number;
                    startSeconds: number;
                };
                readBy?: {
                    extractor: string | null;
                    extractorVersion: string | null;
                };
                transcoded?: boolean;
            }) | null;
            completedAt: number | null;
            createdAt: number;
            failure: ({
                code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "KEY_BUDGET_EXCEEDED" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "OPTION_UNSUPPORTED" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                message: string;
                retryable: boolean;
            } & {
                quote?: {
                    costMicros: number;
                    seconds: number;
                } & {
                    isEstimate?: boolean;
                };
            }) | null;
            id: string;
            kind: "import";
            leaseNumber: number;
            origin: string | null;
            progress: ({
                bytesPerSecond: number | null;
                downloadedBytes: number;
                percent: number | null;
                stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
                totalBytes: number | null;
            } & {
                durationIsEstimate?: boolean;
                durationSeconds?: number | null;
                estimatedBytes?: number;
                neededBytes?: number;
                wantedBytes?: number;
                wantedSeconds?: number;
            }) | null;
            removedAt: number | null;
            request: {
                audioFormat: "m4a" | "mp3" | "opus" | "source" | "wav";
                audioQuality: "best" | "high" | "low" | "lowest" | "medium";
                clip: {
                    endSeconds: number | null;
                    startSeconds: number | null;
                } | null;
                includeAudio: boolean;
                includeVideo: boolean;
                storageBucket: string | null;
                storageClass: string | null;
                storageFilename: string | null;
                storagePath: string | null;
                storageReturnLocation: boolean;
                store: boolean;
                url: string;
                videoQuality: "1080p" | "1440p" | "144p" | "2160p" | "240p" | "360p" | "480p" | "720p" | "best" | "lowest";
                webhookUrl: string | null;
            } & {
                maxBytes?: number;
                maxCostMicros?: number;
            };
            result: ({
                audioCodec: string | null;
                bucket: {
                    bucket: string;
                    key: string;
                    url: string;
                } | null;
                contentType: string;
                costMicros: number;
                downloadedBytes: number;
                durationSeconds: number;
                expiresAt: number;
                fileSizeBytes: number;
                filename: string;
                height: number | null;
                note: string | null;
                sha256: string;
                stored: {
                    attempt: number;
                    hasThumbnail: boolean;
                } & {
                    secret?: string;
                };
                title: string;
                videoCodec: string | null;
                width: number | null;
            } & {
                billedBytes?: number;
                clip?: {
                    actualStartSeconds: number;
                    endSeconds: number;
                    startSeconds: number;
                };
                readBy?: {
                    extractor: string | null;
                    extractorVersion: string | null;
                };
                transcoded?: boolean;
            }) | null;
            startedAt: number | null;
            state: "completed" | "failed" | "queued" | "running";
            step: "audio" | "captions" | "deliver" | "fetch" | "recognize" | null;
        } & {
            batch?: {
                id: string;
                index: number;
            };
            keyId?: string | null;
            metadata?: {
                [x: string]: string;
            };
            prices?: {
                builtinPerMinute: number;
                captions: number;
                downloadPerMegabyte: number;
                providerPerMinute: number;
                speechMinimum: number;
            };
        }) | ({
            attempts: number;
            carry: ({
                attempt: number;
                downloadedBytes: number;
                durationSeconds: number;
                pieces: {
                    durationSeconds: number;
                    key: string;
                    offsetSeconds: number;
                    sizeBytes: number;
                }[];
                waits: number;
            } & {
                chapters?: {
                    endSeconds: number;
                    startSeconds: number;
                    title: string;
                }[];
                mediaSeconds?: number;
                readBy?: {
                    extractor: string | null;
                    extractorVersion: string | null;
                };
                title?: string;
                turns?: {
                    key: string;
                    sizeBytes: number;
                };
            }) | null;
            completedAt: number | null;
            createdAt: number;
            failure: ({
                code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "KEY_BUDGET_EXCEEDED" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "OPTION_UNSUPPORTED" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                message: string;
                retryable: boolean;
            } & {
                quote?: {
                    costMicros: number;
                    seconds: number;
                } & {
                    isEstimate?: boolean;
                };
            }) | null;
            id: string;
            kind: "transcription";
            leaseNumber: number;
            origin: string | null;
            progress: ({
                bytesPerSecond: number | null;
                downloadedBytes: number;
                percent: number | null;
                stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
                totalBytes: number | null;
            } & {
                durationIsEstimate?: boolean;
                durationSeconds?: number | null;
                estimatedBytes?: number;
                neededBytes?: number;
                wantedBytes?: number;
                wantedSeconds?: number;
            }) | null;
            removedAt: number | null;
            request: {
                captionsFirst: boolean;
                clip: {
                    endSeconds: number | null;
                    startSeconds: number | null;
                } | null;
                importId: string | null;
                language: string | null;
                maxCostMicros: number | null;
                provider: "builtin" | "provider_a" | "provider_b" | "provider_c" | null;
                providerOptions: string | null;
                speakers: {
                    max: number | null;
                    min: number | null;
                } | null;
                uploadId: string | null;
                url: string | null;
                webhookUrl: string | null;
                words: boolean;
            } & {
                linked?: {
                    chapters: string | null;
                    transcripts: {
                        format: "html" | "json" | "srt" | "vtt";
                        language: string | null;
                        url: string;
                    }[];
                };
                translate?: "en";
                vocabulary?: {
                    keywords: string[];
                    prompt: string | null;
                };
            };
            result: ({
                attempt: number;
                chapters: {
                    endSeconds: number;
                    startSeconds: number;
                    title: string;
                }[];
                costMicros: number;
                downloadCostMicros: number | null;
                durationSeconds: number;
                hasSpeakers: boolean;
                hasWords: boolean;
                language: string;
                plainBytes: number | null;
                segments: number;
                source: "builtin" | "platform_captions" | "provider_a" | "provider_b" | "provider_c";
                step: "audio" | "captions" | "deliver" | "fetch" | "recognize";
                title: string | null;
            } & {
                languageProbability?: number;
                model?: string;
                providerService?: "assemblyai" | "deepgram" | "openai";
                readBy?: {
                    extractor: string | null;
                    extractorVersion: string | null;
                };
                secret?: string;
                translatedTo?: "en";
                vocabulary?: boolean;
            }) | null;
            startedAt: number | null;
            state: "completed" | "failed" | "queued" | "running";
            step: "audio" | "captions" | "deliver" | "fetch" | "recognize" | null;
        } & {
            batch?: {
                id: string;
                index: number;
            };
            keyId?: string | null;
            metadata?: {
                [x: string]: string;
            };
            prices?: {
                builtinPerMinute: number;
                captions: number;
                downloadPerMegabyte: number;
                providerPerMinute: number;
                speechMinimum: number;
            };
        });
        lease: string;
        stored: {
            contentType: string;
            durationSeconds: number | null;
            key: string;
            sizeBytes: number;
            title: string;
        } | null;
    } & {
        agreed?: {
            bytes: number | null;
            seconds: number | null;
        };
        keepsSecrets?: boolean;
    }) | null;
    claimCopy: (jobId: string) => {
        job: {
            attempts: number;
            carry: ({
                audioCodec: string | null;
                contentType: string;
                downloadedBytes: number;
                durationSeconds: number;
                fileSizeBytes: number;
                filename: string;
                height: number | null;
                note: string | null;
                sha256: string;
                stored: {
                    attempt: number;
                    hasThumbnail: boolean;
                } & {
                    secret?: string;
                };
                title: string;
                videoCodec: string | null;
                width: number | null;
            } & {
                billedBytes?: number;
                clip?: {
                    actualStartSeconds: number;
                    endSeconds: number;
                    startSeconds: number;
                };
                readBy?: {
                    extractor: string | null;
                    extractorVersion: string | null;
                };
                transcoded?: boolean;
            }) | null;
            completedAt: number | null;
            createdAt: number;
            failure: ({
                code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "KEY_BUDGET_EXCEEDED" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "OPTION_UNSUPPORTED" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                message: string;
                retryable: boolean;
            } & {
                quote?: {
                    costMicros: number;
                    seconds: number;
                } & {
                    isEstimate?: boolean;
                };
            }) | null;
            id: string;
            kind: "import";
            leaseNumber: number;
            origin: string | null;
            progress: ({
                bytesPerSecond: number | null;
                downloadedBytes: number;
                percent: number | null;
                stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
                totalBytes: number | null;
            } & {
                durationIsEstimate?: boolean;
                durationSeconds?: number | null;
                estimatedBytes?: number;
                neededBytes?: number;
                wantedBytes?: number;
                wantedSeconds?: number;
            }) | null;
            removedAt: number | null;
            request: {
                audioFormat: "m4a" | "mp3" | "opus" | "source" | "wav";
                audioQuality: "best" | "high" | "low" | "lowest" | "medium";
                clip: {
                    endSeconds: number | null;
                    startSeconds: number | null;
                } | null;
                includeAudio: boolean;
                includeVideo: boolean;
                storageBucket: string | null;
                storageClass: string | null;
                storageFilename: string | null;
                storagePath: string | null;
                storageReturnLocation: boolean;
                store: boolean;
                url: string;
                videoQuality: "1080p" | "1440p" | "144p" | "2160p" | "240p" | "360p" | "480p" | "720p" | "best" | "lowest";
                webhookUrl: string | null;
            } & {
                maxBytes?: number;
                maxCostMicros?: number;
            };
            result: ({
                audioCodec: string | null;
                bucket: {
                    bucket: string;
                    key: string;
                    url: string;
                } | null;
                contentType: string;
                costMicros: number;
                downloadedBytes: number;
                durationSeconds: number;
                expiresAt: number;
                fileSizeBytes: number;
                filename: string;
                height: number | null;
                note: string | null;
                sha256: string;
                stored: {
                    attempt: number;
                    hasThumbnail: boolean;
                } & {
                    secret?: string;
                };
                title: string;
                videoCodec: string | null;
                width: number | null;
            } & {
                billedBytes?: number;
                clip?: {
                    actualStartSeconds: number;
                    endSeconds: number;
                    startSeconds: number;
                };
                readBy?: {
                    extractor: string | null;
                    extractorVersion: string | null;
                };
                transcoded?: boolean;
            }) | null;
            startedAt: number | null;
            state: "completed" | "failed" | "queued" | "running";
            step: "audio" | "captions" | "deliver" | "fetch" | "recognize" | null;
        } & {
            batch?: {
                id: string;
                index: number;
            };
            keyId?: string | null;
            metadata?: {
                [x: string]: string;
            };
            prices?: {
                builtinPerMinute: number;
                captions: number;
                downloadPerMegabyte: number;
                providerPerMinute: number;
                speechMinimum: number;
            };
        };
        lease: string;
        note: string | null;
    } | null;
    claimDelivery: (id: string) => {
        batch: ({
            completedAt: number | null;
            costMicros: number;
            counts: {
                completed: number;
                failed: number;
                running: number;
                skipped: number;
                total: number | null;
                waiting: number;
            };
            createdAt: number;
            failure: ({
                code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "KEY_BUDGET_EXCEEDED" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "OPTION_UNSUPPORTED" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                message: string;
                retryable: boolean;
            } & {
                quote?: {
                    costMicros: number;
                    seconds: number;
                } & {
                    isEstimate?: boolean;
                };
            }) | null;
            id: string;
            kind: "import" | "transcription";
            maxCostMicros: number | null;
            origin: string | null;
            state: "canceled" | "completed" | "failed" | "queued" | "running";
            title: string | null;
            webhookUrl: string | null;
        } & {
            metadata?: {
                [x: string]: string;
            };
        }) | null;
        delivery: {
            attemptError: "ADDRESS_NOT_PUBLIC" | "CONNECTION_FAILED" | "INTERRUPTED" | "REDIRECTED" | "REFUSED" | "TIMED_OUT" | null;
            attemptedAt: number | null;
            attempts: number;
            batchId: string | null;
            createdAt: number;
            id: string;
            jobId: string | null;
            nextAt: number | null;
            responseBody: string | null;
            state: "delivered" | "failed" | "pending";
            status: number | null;
            type: "batch.canceled" | "batch.completed" | "batch.failed" | "import.completed" | "import.failed" | "transcription.completed" | "transcription.failed" | "webhook.test";
            url: string;
        };
        job: ({
            attempts: number;
            carry: ({
                audioCodec: string | null;
                contentType: string;
                downloadedBytes: number;
                durationSeconds: number;
                fileSizeBytes: number;
                filename: string;
                height: number | null;
                note: string | null;
                sha256: string;
                stored: {
                    attempt: number;
                    hasThumbnail: boolean;
                } & {
                    secret?: string;
                };
                title: string;
                videoCodec: string | null;
                width: number | null;
            } & {
                billedBytes?: number;
                clip?: {
                    actualStartSeconds: number;
                    endSeconds: number;
                    startSeconds: number;
                };
                readBy?: {
                    extractor: string | null;
                    extractorVersion: string | null;
                };
                transcoded?: boolean;
            }) | null;
            completedAt: number | null;
            createdAt: number;
            failure: ({
                code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "KEY_BUDGET_EXCEEDED" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "OPTION_UNSUPPORTED" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                message: string;
                retryable: boolean;
            } & {
                quote?: {
                    costMicros: number;
                    seconds: number;
                } & {
                    isEstimate?: boolean;
                };
            }) | null;
            id: string;
            kind: "import";
            leaseNumber: number;
            origin: string | null;
            progress: ({
                bytesPerSecond: number | null;
                downloadedBytes: number;
                percent: number | null;
                stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
                totalBytes: number | null;
            } & {
                durationIsEstimate?: boolean;
                durationSeconds?: number | null;
                estimatedBytes?: number;
                neededBytes?: number;
                wantedBytes?: number;
                wantedSeconds?: number;
            }) | null;
            removedAt: number | null;
            request: {
                audioFormat: "m4a" | "mp3" | "opus" | "source" | "wav";
                audioQuality: "best" | "high" | "low" | "lowest" | "medium";
                clip: {
                    endSeconds: number | null;
                    startSeconds: number | null;
                } | null;
                includeAudio: boolean;
                includeVideo: boolean;
                storageBucket: string | null;
                storageClass: string | null;
                storageFilename: string | null;
                storagePath: string | null;
                storageReturnLocation: boolean;
                store: boolean;
                url: string;
                videoQuality: "1080p" | "1440p" | "144p" | "2160p" | "240p" | "360p" | "480p" | "720p" | "best" | "lowest";
                webhookUrl: string | null;
            } & {
                maxBytes?: number;
                maxCostMicros?: number;
            };
            result: ({
                audioCodec: string | null;
                bucket: {
                    bucket: string;
                    key: string;
                    url: string;
                } | null;
                contentType: string;
                costMicros: number;
                downloadedBytes: number;
                durationSeconds: number;
                expiresAt: number;
                fileSizeBytes: number;
                filename: string;
                height: number | null;
                note: string | null;
                sha256: string;
                stored: {
                    attempt: number;
                    hasThumbnail: boolean;
                } & {
                    secret?: string;
                };
                title: string;
                videoCodec: string | null;
                width: number | null;
            } & {
                billedBytes?: number;
                clip?: {
                    actualStartSeconds: number;
                    endSeconds: number;
                    startSeconds: number;
                };
                readBy?: {
                    extractor: string | null;
                    extractorVersion: string | null;
                };
                transcoded?: boolean;
            }) | null;
            startedAt: number | null;
            state: "completed" | "failed" | "queued" | "running";
            step: "audio" | "captions" | "deliver" | "fetch" | "recognize" | null;
        } & {
            batch?: {
                id: string;
                index: number;
            };
            keyId?: string | null;
            metadata?: {
                [x: string]: string;
            };
            prices?: {
                builtinPerMinute: number;
                captions: number;
                downloadPerMegabyte: number;
                providerPerMinute: number;
                speechMinimum: number;
            };
        }) | ({
            attempts: number;
            carry: ({
                attempt: number;
                downloadedBytes: number;
                durationSeconds: number;
                pieces: {
                    durationSeconds: number;
                    key: string;
                    offsetSeconds: number;
                    sizeBytes: number;
                }[];
                waits: number;
            } & {
                chapters?: {
                    endSeconds: number;
                    startSeconds: number;
                    title: string;
                }[];
                mediaSeconds?: number;
                readBy?: {
                    extractor: string | null;
                    extractorVersion: string | null;
                };
                title?: string;
                turns?: {
                    key: string;
                    sizeBytes: number;
                };
            }) | null;
            completedAt: number | null;
            createdAt: number;
            failure: ({
                code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "KEY_BUDGET_EXCEEDED" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "OPTION_UNSUPPORTED" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                message: string;
                retryable: boolean;
            } & {
                quote?: {
                    costMicros: number;
                    seconds: number;
                } & {
                    isEstimate?: boolean;
                };
            }) | null;
            id: string;
            kind: "transcription";
            leaseNumber: number;
            origin: string | null;
            progress: ({
                bytesPerSecond: number | null;
                downloadedBytes: number;
                percent: number | null;
                stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
                totalBytes: number | null;
            } & {
                durationIsEstimate?: boolean;
                durationSeconds?: number | null;
                estimatedBytes?: number;
                neededBytes?: number;
                wantedBytes?: number;
                wantedSeconds?: number;
            }) | null;
            removedAt: number | null;
            request: {
                captionsFirst: boolean;
                clip: {
                    endSeconds: number | null;
                    startSeconds: number | null;
                } | null;
                importId: string | null;
                language: string | null;
                maxCostMicros: number | null;
                provider: "builtin" | "provider_a" | "provider_b" | "provider_c" | null;
                providerOptions: string | null;
                speakers: {
                    max: number | null;
                    min: number | null;
                } | null;
                uploadId: string | null;
                url: string | null;
                webhookUrl: string | null;
                words: boolean;
            } & {
                linked?: {
                    chapters: string | null;
                    transcripts: {
                        format: "html" | "json" | "srt" | "vtt";
                        language: string | null;
                        url: string;
                    }[];
                };
                translate?: "en";
                vocabulary?: {
                    keywords: string[];
                    prompt: string | null;
                };
            };
            result: ({
                attempt: number;
                chapters: {
                    endSeconds: number;
                    startSeconds: number;
                    title: string;
                }[];
                costMicros: number;
                downloadCostMicros: number | null;
                durationSeconds: number;
                hasSpeakers: boolean;
                hasWords: boolean;
                language: string;
                plainBytes: number | null;
                segments: number;
                source: "builtin" | "platform_captions" | "provider_a" | "provider_b" | "provider_c";
                step: "audio" | "captions" | "deliver" | "fetch" | "recognize";
                title: string | null;
            } & {
                languageProbability?: number;
                model?: string;
                providerService?: "assemblyai" | "deepgram" | "openai";
                readBy?: {
                    extractor: string | null;
                    extractorVersion: string | null;
                };
                secret?: string;
                translatedTo?: "en";
                vocabulary?: boolean;
            }) | null;
            startedAt: number | null;
            state: "completed" | "failed" | "queued" | "running";
            step: "audio" | "captions" | "deliver" | "fetch" | "recognize" | null;
        } & {
            batch?: {
                id: string;
                index: number;
            };
            keyId?: string | null;
            metadata?: {
                [x: string]: string;
            };
            prices?: {
                builtinPerMinute: number;
                captions: number;
                downloadPerMegabyte: number;
                providerPerMinute: number;
                speechMinimum: number;
            };
        }) | null;
        lease: string;
        seeds: string[];
    } | null;
    claimItem: (batchId: string, index: number) => ({
        batchId: string;
        index: number;
        item: {
            kind: "import";
            request: {
                audioFormat: "m4a" | "mp3" | "opus" | "source" | "wav";
                audioQuality: "best" | "high" | "low" | "lowest" | "medium";
                clip: {
                    endSeconds: number | null;
                    startSeconds: number | null;
                } | null;
                includeAudio: boolean;
                includeVideo: boolean;
                storageBucket: string | null;
                storageClass: string | null;
                storageFilename: string | null;
                storagePath: string | null;
                storageReturnLocation: boolean;
                store: boolean;
                videoQuality: "1080p" | "1440p" | "144p" | "2160p" | "240p" | "360p" | "480p" | "720p" | "best" | "lowest";
                webhookUrl: string | null;
            } & {
                maxBytes?: number;
                maxCostMicros?: number;
            };
        } | {
            kind: "transcription";
            request: {
                captionsFirst: boolean;
                clip: {
                    endSeconds: number | null;
                    startSeconds: number | null;
                } | null;
                language: string | null;
                maxCostMicros: number | null;
                provider: "builtin" | "provider_a" | "provider_b" | "provider_c" | null;
                providerOptions: string | null;
                speakers: {
                    max: number | null;
                    min: number | null;
                } | null;
                webhookUrl: string | null;
                words: boolean;
            } & {
                linked?: {
                    chapters: string | null;
                    transcripts: {
                        format: "html" | "json" | "srt" | "vtt";
                        language: string | null;
                        url: string;
                    }[];
                };
                translate?: "en";
                vocabulary?: {
                    keywords: string[];
                    prompt: string | null;
                };
            };
        };
        lease: string;
        reuseWithinSeconds: number;
        url: string;
    } & {
        linked?: {
            chapters: string | null;
            transcripts: {
                format: "html" | "json" | "srt" | "vtt";
                language: string | null;
                url: string;
            }[];
        };
    }) | null;
    claimListing: (batchId: string) => {
        batchId: string;
        lease: string;
        limit: number;
        url: string;
    } | null;
    cleanedUp: (jobId: string) => void;
    closeEventStream: (streamId: string) => void;
    complete: (lease: {
        jobId: string;
        lease: string;
    } & {
        attempt?: number;
    }, done: {
        charge: number;
        finished: {
            kind: "import";
            result: {
                audioCodec: string | null;
                bucket: {
                    bucket: string;
                    key: string;
                    url: string;
                } | null;
                contentType: string;
                downloadedBytes: number;
                durationSeconds: number;
                fileSizeBytes: number;
                filename: string;
                height: number | null;
                note: string | null;
                sha256: string;
                stored: {
                    attempt: number;
                    hasThumbnail: boolean;
                } & {
                    secret?: string;
                };
                title: string;
                videoCodec: string | null;
                width: number | null;
            } & {
                billedBytes?: number;
                clip?: {
                    actualStartSeconds: number;
                    endSeconds: number;
                    startSeconds: number;
                };
                readBy?: {
                    extractor: string | null;
                    extractorVersion: string | null;
                };
                transcoded?: boolean;
            };
        } | {
            kind: "transcription";
            result: {
                attempt: number;
                chapters: {
                    endSeconds: number;
                    startSeconds: number;
                    title: string;
                }[];
                downloadCostMicros: number | null;
                durationSeconds: number;
                hasSpeakers: boolean;
                hasWords: boolean;
                language: string;
                plainBytes: number | null;
                segments: number;
                source: "builtin" | "platform_captions" | "provider_a" | "provider_b" | "provider_c";
                step: "audio" | "captions" | "deliver" | "fetch" | "recognize";
                title: string | null;
            } & {
                languageProbability?: number;
                model?: string;
                providerService?: "assemblyai" | "deepgram" | "openai";
                readBy?: {
                    extractor: string | null;
                    extractorVersion: string | null;
                };
                secret?: string;
                translatedTo?: "en";
                vocabulary?: boolean;
            };
        };
        keys: string[];
    }) => boolean;
    copyLeaseState: (lease: {
        jobId: string;
        lease: string;
    } & {
        attempt?: number;
    }) => "continue" | "lost" | "over";
    countDeadLetter: (id: string) => {
        attemptError: "ADDRESS_NOT_PUBLIC" | "CONNECTION_FAILED" | "INTERRUPTED" | "REDIRECTED" | "REFUSED" | "TIMED_OUT" | null;
        attemptedAt: number | null;
        attempts: number;
        batchId: string | null;
        createdAt: number;
        id: string;
        jobId: string | null;
        nextAt: number | null;
        responseBody: string | null;
        state: "delivered" | "failed" | "pending";
        status: number | null;
        type: "batch.canceled" | "batch.completed" | "batch.failed" | "import.completed" | "import.failed" | "transcription.completed" | "transcription.failed" | "webhook.test";
        url: string;
    } | null;
    createKey: (identity: {
        endpoint: string;
        keyHash: string;
        needs: ("full key" | "import" | "manage" | "read" | "transcribe")[];
        rateClass: "general" | "import" | "status" | "transcribe";
    } & {
        origin?: string | null;
    }, given: {
        expiresAt: number | null;
        hash: string;
        id: string;
        monthlyBudget: number | null;
        name: string | null;
        origins: string[];
        prefix: string;
        scopes: ("import" | "manage" | "read" | "transcribe")[];
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "KEY_BUDGET_EXCEEDED" | "LAST_KEY" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SCOPE_MISSING" | "SERVICE_BUSY" | "SERVICE_UNAVAILABLE" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TOO_MANY_KEYS" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                createdAt: number;
                expiresAt: number | null;
                held: number;
                id: string;
                lastUsedAt: number | null;
                monthlyBudget: number | null;
                name: string | null;
                origins: string[];
                prefix: string | null;
                scopes: ("import" | "manage" | "read" | "transcribe")[];
                spentThisMonth: number;
            };
        };
    } & {
        allowsOrigin?: true;
    };
    credit: (amount: number, reference: string) => {
        ok: false;
        refusal: {
            code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "KEY_BUDGET_EXCEEDED" | "LAST_KEY" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SCOPE_MISSING" | "SERVICE_BUSY" | "SERVICE_UNAVAILABLE" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TOO_MANY_KEYS" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
            facts: {
                [x: string]: string | number | boolean | {
                    message: string;
                    path: string;
                }[];
            };
            message: string;
        };
    } | {
        ok: true;
        value: {
            available: number;
            balance: number;
            credited: boolean;
            held: number;
        };
    } | null;
    deliveries: (identity: {
        endpoint: string;
        keyHash: string;
        needs: ("full key" | "import" | "manage" | "read" | "transcribe")[];
        rateClass: "general" | "import" | "status" | "transcribe";
    } & {
        origin?: string | null;
    }, filter: {
        jobId: string | null;
        state: "delivered" | "failed" | "pending" | null;
    }, page: {
        before: string | null;
        limit: number;
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "KEY_BUDGET_EXCEEDED" | "LAST_KEY" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SCOPE_MISSING" | "SERVICE_BUSY" | "SERVICE_UNAVAILABLE" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TOO_MANY_KEYS" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                attemptError: "ADDRESS_NOT_PUBLIC" | "CONNECTION_FAILED" | "INTERRUPTED" | "REDIRECTED" | "REFUSED" | "TIMED_OUT" | null;
                attemptedAt: number | null;
                attempts: number;
                batchId: string | null;
                createdAt: number;
                id: string;
                jobId: string | null;
                nextAt: number | null;
                responseBody: string | null;
                state: "delivered" | "failed" | "pending";
                status: number | null;
                type: "batch.canceled" | "batch.completed" | "batch.failed" | "import.completed" | "import.failed" | "transcription.completed" | "transcription.failed" | "webhook.test";
                url: string;
            }[];
        };
    } & {
        allowsOrigin?: true;
    };
    discardReceivedFile: (id: string) => void;
    eventsAfter: (keyHash: string, streamId: string, after: number) => {
        events: {
            at: number;
            batch: ({
                completedAt: number | null;
                costMicros: number;
                counts: {
                    completed: number;
                    failed: number;
                    running: number;
                    skipped: number;
                    total: number | null;
                    waiting: number;
                };
                createdAt: number;
                failure: ({
                    code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "KEY_BUDGET_EXCEEDED" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "OPTION_UNSUPPORTED" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                    message: string;
                    retryable: boolean;
                } & {
                    quote?: {
                        costMicros: number;
                        seconds: number;
                    } & {
                        isEstimate?: boolean;
                    };
                }) | null;
                id: string;
                kind: "import" | "transcription";
                maxCostMicros: number | null;
                origin: string | null;
                state: "canceled" | "completed" | "failed" | "queued" | "running";
                title: string | null;
                webhookUrl: string | null;
            } & {
                metadata?: {
                    [x: string]: string;
                };
            }) | null;
            id: string;
            job: ({
                attempts: number;
                carry: ({
                    audioCodec: string | null;
                    contentType: string;
                    downloadedBytes: number;
                    durationSeconds: number;
                    fileSizeBytes: number;
                    filename: string;
                    height: number | null;
                    note: string | null;
                    sha256: string;
                    stored: {
                        attempt: number;
                        hasThumbnail: boolean;
                    } & {
                        secret?: string;
                    };
                    title: string;
                    videoCodec: string | null;
                    width: number | null;
                } & {
                    billedBytes?: number;
                    clip?: {
                        actualStartSeconds: number;
                        endSeconds: number;
                        startSeconds: number;
                    };
                    readBy?: {
                        extractor: string | null;
                        extractorVersion: string | null;
                    };
                    transcoded?: boolean;
                }) | null;
                completedAt: number | null;
                createdAt: number;
                failure: ({
                    code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "KEY_BUDGET_EXCEEDED" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "OPTION_UNSUPPORTED" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                    message: string;
                    retryable: boolean;
                } & {
                    quote?: {
                        costMicros: number;
                        seconds: number;
                    } & {
                        isEstimate?: boolean;
                    };
                }) | null;
                id: string;
                kind: "import";
                leaseNumber: number;
                origin: string | null;
                progress: ({
                    bytesPerSecond: number | null;
                    downloadedBytes: number;
                    percent: number | null;
                    stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
                    totalBytes: number | null;
                } & {
                    durationIsEstimate?: boolean;
                    durationSeconds?: number | null;
                    estimatedBytes?: number;
                    neededBytes?: number;
                    wantedBytes?: number;
                    wantedSeconds?: number;
                }) | null;
                removedAt: number | null;
                request: {
                    audioFormat: "m4a" | "mp3" | "opus" | "source" | "wav";
                    audioQuality: "best" | "high" | "low" | "lowest" | "medium";
                    clip: {
                        endSeconds: number | null;
                        startSeconds: number | null;
                    } | null;
                    includeAudio: boolean;
                    includeVideo: boolean;
                    storageBucket: string | null;
                    storageClass: string | null;
                    storageFilename: string | null;
                    storagePath: string | null;
                    storageReturnLocation: boolean;
                    store: boolean;
                    url: string;
                    videoQuality: "1080p" | "1440p" | "144p" | "2160p" | "240p" | "360p" | "480p" | "720p" | "best" | "lowest";
                    webhookUrl: string | null;
                } & {
                    maxBytes?: number;
                    maxCostMicros?: number;
                };
                result: ({
                    audioCodec: string | null;
                    bucket: {
                        bucket: string;
                        key: string;
                        url: string;
                    } | null;
                    contentType: string;
                    costMicros: number;
                    downloadedBytes: number;
                    durationSeconds: number;
                    expiresAt: number;
                    fileSizeBytes: number;
                    filename: string;
                    height: number | null;
                    note: string | null;
                    sha256: string;
                    stored: {
                        attempt: number;
                        hasThumbnail: boolean;
                    } & {
                        secret?: string;
                    };
                    title: string;
                    videoCodec: string | null;
                    width: number | null;
                } & {
                    billedBytes?: number;
                    clip?: {
                        actualStartSeconds: number;
                        endSeconds: number;
                        startSeconds: number;
                    };
                    readBy?: {
                        extractor: string | null;
                        extractorVersion: string | null;
                    };
                    transcoded?: boolean;
                }) | null;
                startedAt: number | null;
                state: "completed" | "failed" | "queued" | "running";
                step: "audio" | "captions" | "deliver" | "fetch" | "recognize" | null;
            } & {
                batch?: {
                    id: string;
                    index: number;
                };
                keyId?: string | null;
                metadata?: {
                    [x: string]: string;
                };
                prices?: {
                    builtinPerMinute: number;
                    captions: number;
                    downloadPerMegabyte: number;
                    providerPerMinute: number;
                    speechMinimum: number;
                };
            }) | ({
                attempts: number;
                carry: ({
                    attempt: number;
                    downloadedBytes: number;
                    durationSeconds: number;
                    pieces: {
                        durationSeconds: number;
                        key: string;
                        offsetSeconds: number;
                        sizeBytes: number;
                    }[];
                    waits: number;
                } & {
                    chapters?: {
                        endSeconds: number;
                        startSeconds: number;
                        title: string;
                    }[];
                    mediaSeconds?: number;
                    readBy?: {
                        extractor: string | null;
                        extractorVersion: string | null;
                    };
                    title?: string;
                    turns?: {
                        key: string;
                        sizeBytes: number;
                    };
                }) | null;
                completedAt: number | null;
                createdAt: number;
                failure: ({
                    code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "KEY_BUDGET_EXCEEDED" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "OPTION_UNSUPPORTED" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                    message: string;
                    retryable: boolean;
                } & {
                    quote?: {
                        costMicros: number;
                        seconds: number;
                    } & {
                        isEstimate?: boolean;
                    };
                }) | null;
                id: string;
                kind: "transcription";
                leaseNumber: number;
                origin: string | null;
                progress: ({
                    bytesPerSecond: number | null;
                    downloadedBytes: number;
                    percent: number | null;
                    stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
                    totalBytes: number | null;
                } & {
                    durationIsEstimate?: boolean;
                    durationSeconds?: number | null;
                    estimatedBytes?: number;
                    neededBytes?: number;
                    wantedBytes?: number;
                    wantedSeconds?: number;
                }) | null;
                removedAt: number | null;
                request: {
                    captionsFirst: boolean;
                    clip: {
                        endSeconds: number | null;
                        startSeconds: number | null;
                    } | null;
                    importId: string | null;
                    language: string | null;
                    maxCostMicros: number | null;
                    provider: "builtin" | "provider_a" | "provider_b" | "provider_c" | null;
                    providerOptions: string | null;
                    speakers: {
                        max: number | null;
                        min: number | null;
                    } | null;
                    uploadId: string | null;
                    url: string | null;
                    webhookUrl: string | null;
                    words: boolean;
                } & {
                    linked?: {
                        chapters: string | null;
                        transcripts: {
                            format: "html" | "json" | "srt" | "vtt";
                            language: string | null;
                            url: string;
                        }[];
                    };
                    translate?: "en";
                    vocabulary?: {
                        keywords: string[];
                        prompt: string | null;
                    };
                };
                result: ({
                    attempt: number;
                    chapters: {
                        endSeconds: number;
                        startSeconds: number;
                        title: string;
                    }[];
                    costMicros: number;
                    downloadCostMicros: number | null;
                    durationSeconds: number;
                    hasSpeakers: boolean;
                    hasWords: boolean;
                    language: string;
                    plainBytes: number | null;
                    segments: number;
                    source: "builtin" | "platform_captions" | "provider_a" | "provider_b" | "provider_c";
                    step: "audio" | "captions" | "deliver" | "fetch" | "recognize";
                    title: string | null;
                } & {
                    languageProbability?: number;
                    model?: string;
                    providerService?: "assemblyai" | "deepgram" | "openai";
                    readBy?: {
                        extractor: string | null;
                        extractorVersion: string | null;
                    };
                    secret?: string;
                    translatedTo?: "en";
                    vocabulary?: boolean;
                }) | null;
                startedAt: number | null;
                state: "completed" | "failed" | "queued" | "running";
                step: "audio" | "captions" | "deliver" | "fetch" | "recognize" | null;
            } & {
                batch?: {
                    id: string;
                    index: number;
                };
                keyId?: string | null;
                metadata?: {
                    [x: string]: string;
                };
                prices?: {
                    builtinPerMinute: number;
                    captions: number;
                    downloadPerMegabyte: number;
                    providerPerMinute: number;
                    speechMinimum: number;
                };
            }) | null;
            type: "batch.canceled" | "batch.completed" | "batch.failed" | "import.completed" | "import.failed" | "job.started" | "transcription.completed" | "transcription.failed";
        }[];
        isBusy: boolean;
        last: number;
    } | null;
    failCheck: (report: {
        batchId: string;
        index: number | null;
        lease: string;
    }) => void;
    failListing: (report: {
        batchId: string;
        lease: string;
    }, reason: {
        code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "KEY_BUDGET_EXCEEDED" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "OPTION_UNSUPPORTED" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
        message: string;
        retryable: boolean;
    } & {
        quote?: {
            costMicros: number;
            seconds: number;
        } & {
            isEstimate?: boolean;
        };
    }, args_2?: ({} & {
        retryAfterMs?: number;
    }) | undefined) => boolean;
    failStep: (lease: {
        jobId: string;
        lease: string;
    } & {
        attempt?: number;
    }, reason: {
        code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "KEY_BUDGET_EXCEEDED" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "OPTION_UNSUPPORTED" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
        message: string;
        retryable: boolean;
    } & {
        quote?: {
            costMicros: number;
            seconds: number;
        } & {
            isEstimate?: boolean;
        };
    }, downloadedBytes?: number | undefined, readBy?: {
        extractor: string | null;
        extractorVersion: string | null;
    } | undefined) => boolean;
    finishFetch: (lease: {
        jobId: string;
        lease: string;
    } & {
        attempt?: number;
    }, fetched: {
        facts: {
            audioCodec: string | null;
            contentType: string;
            downloadedBytes: number;
            durationSeconds: number;
            extension: string;
            height: number | null;
            note: string | null;
            sha256: string;
            sizeBytes: number;
            title: string;
            videoCodec: string | null;
            width: number | null;
        } & {
            clip?: {
                actualStartSeconds: number;
                endSeconds: number;
                startSeconds: number;
            };
            transcoded?: boolean;
        };
        stored: {
            attempt: number;
            hasThumbnail: boolean;
        } & {
            secret?: string;
        };
    } & {
        readBy?: {
            extractor: string | null;
            extractorVersion: string | null;
        };
    }) => "accepted" | "lost" | "repeated";
    finishListing: (report: {
        batchId: string;
        lease: string;
    }, listed: {
        items: ({
            title: string | null;
            url: string;
        } & {
            linked?: {
                chapters: string | null;
                transcripts: {
                    format: "html" | "json" | "srt" | "vtt";
                    language: string | null;
                    url: string;
                }[];
            };
        })[];
        title: string | null;
    }) => boolean;
    freeIdempotency: (given: string, keyHash: string) => void;
    giveBack: (lease: {
        jobId: string;
        lease: string;
    } & {
        attempt?: number;
    }, failed?: ({} & {
        delayMs?: number;
        downloadedBytes?: number;
        isUsed?: boolean;
        reason?: {
            code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "KEY_BUDGET_EXCEEDED" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "OPTION_UNSUPPORTED" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
            message: string;
            retryable: boolean;
        } & {
            quote?: {
                costMicros: number;
                seconds: number;
            } & {
                isEstimate?: boolean;
            };
        };
    }) | undefined) => boolean;
    holdsLease: (lease: {
        jobId: string;
        lease: string;
    } & {
        attempt?: number;
    }) => boolean;
    keys: (identity: {
        endpoint: string;
        keyHash: string;
        needs: ("full key" | "import" | "manage" | "read" | "transcribe")[];
        rateClass: "general" | "import" | "status" | "transcribe";
    } & {
        origin?: string | null;
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "KEY_BUDGET_EXCEEDED" | "LAST_KEY" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SCOPE_MISSING" | "SERVICE_BUSY" | "SERVICE_UNAVAILABLE" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TOO_MANY_KEYS" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                createdAt: number;
                expiresAt: number | null;
                held: number;
                id: string;
                lastUsedAt: number | null;
                monthlyBudget: number | null;
                name: string | null;
                origins: string[];
                prefix: string | null;
                scopes: ("import" | "manage" | "read" | "transcribe")[];
                spentThisMonth: number;
            }[];
        };
    } & {
        allowsOrigin?: true;
    };
    leasedJob: (lease: {
        jobId: string;
        lease: string;
    } & {
        attempt?: number;
    }) => ({
        attempts: number;
        carry: ({
            audioCodec: string | null;
            contentType: string;
            downloadedBytes: number;
            durationSeconds: number;
            fileSizeBytes: number;
            filename: string;
            height: number | null;
            note: string | null;
            sha256: string;
            stored: {
                attempt: number;
                hasThumbnail: boolean;
            } & {
                secret?: string;
            };
            title: string;
            videoCodec: string | null;
            width: number | null;
        } & {
            billedBytes?: number;
            clip?: {
                actualStartSeconds: number;
                endSeconds: number;
                startSeconds: number;
            };
            readBy?: {
                extractor: string | null;
                extractorVersion: string | null;
            };
            transcoded?: boolean;
        }) | null;
        completedAt: number | null;
        createdAt: number;
        failure: ({
            code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "KEY_BUDGET_EXCEEDED" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "OPTION_UNSUPPORTED" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
            message: string;
            retryable: boolean;
        } & {
            quote?: {
                costMicros: number;
                seconds: number;
            } & {
                isEstimate?: boolean;
            };
        }) | null;
        id: string;
        kind: "import";
        leaseNumber: number;
        origin: string | null;
        progress: ({
            bytesPerSecond: number | null;
            downloadedBytes: number;
            percent: number | null;
            stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
            totalBytes: number | null;
        } & {
            durationIsEstimate?: boolean;
            durationSeconds?: number | null;
            estimatedBytes?: number;
            neededBytes?: number;
            wantedBytes?: number;
            wantedSeconds?: number;
        }) | null;
        removedAt: number | null;
        request: {
            audioFormat: "m4a" | "mp3" | "opus" | "source" | "wav";
            audioQuality: "best" | "high" | "low" | "lowest" | "medium";
            clip: {
                endSeconds: number | null;
                startSeconds: number | null;
            } | null;
            includeAudio: boolean;
            includeVideo: boolean;
            storageBucket: string | null;
            storageClass: string | null;
            storageFilename: string | null;
            storagePath: string | null;
            storageReturnLocation: boolean;
            store: boolean;
            url: string;
            videoQuality: "1080p" | "1440p" | "144p" | "2160p" | "240p" | "360p" | "480p" | "720p" | "best" | "lowest";
            webhookUrl: string | null;
        } & {
            maxBytes?: number;
            maxCostMicros?: number;
        };
        result: ({
            audioCodec: string | null;
            bucket: {
                bucket: string;
                key: string;
                url: string;
            } | null;
            contentType: string;
            costMicros: number;
            downloadedBytes: number;
            durationSeconds: number;
            expiresAt: number;
            fileSizeBytes: number;
            filename: string;
            height: number | null;
            note: string | null;
            sha256: string;
            stored: {
                attempt: number;
                hasThumbnail: boolean;
            } & {
                secret?: string;
            };
            title: string;
            videoCodec: string | null;
            width: number | null;
        } & {
            billedBytes?: number;
            clip?: {
                actualStartSeconds: number;
                endSeconds: number;
                startSeconds: number;
            };
            readBy?: {
                extractor: string | null;
                extractorVersion: string | null;
            };
            transcoded?: boolean;
        }) | null;
        startedAt: number | null;
        state: "completed" | "failed" | "queued" | "running";
        step: "audio" | "captions" | "deliver" | "fetch" | "recognize" | null;
    } & {
        batch?: {
            id: string;
            index: number;
        };
        keyId?: string | null;
        metadata?: {
            [x: string]: string;
        };
        prices?: {
            builtinPerMinute: number;
            captions: number;
            downloadPerMegabyte: number;
            providerPerMinute: number;
            speechMinimum: number;
        };
    }) | ({
        attempts: number;
        carry: ({
            attempt: number;
            downloadedBytes: number;
            durationSeconds: number;
            pieces: {
                durationSeconds: number;
                key: string;
                offsetSeconds: number;
                sizeBytes: number;
            }[];
            waits: number;
        } & {
            chapters?: {
                endSeconds: number;
                startSeconds: number;
                title: string;
            }[];
            mediaSeconds?: number;
            readBy?: {
                extractor: string | null;
                extractorVersion: string | null;
            };
            title?: string;
            turns?: {
                key: string;
                sizeBytes: number;
            };
        }) | null;
        completedAt: number | null;
        createdAt: number;
        failure: ({
            code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "KEY_BUDGET_EXCEEDED" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "OPTION_UNSUPPORTED" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
            message: string;
            retryable: boolean;
        } & {
            quote?: {
                costMicros: number;
                seconds: number;
            } & {
                isEstimate?: boolean;
            };
        }) | null;
        id: string;
        kind: "transcription";
        leaseNumber: number;
        origin: string | null;
        progress: ({
            bytesPerSecond: number | null;
            downloadedBytes: number;
            percent: number | null;
            stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
            totalBytes: number | null;
        } & {
            durationIsEstimate?: boolean;
            durationSeconds?: number | null;
            estimatedBytes?: number;
            neededBytes?: number;
            wantedBytes?: number;
            wantedSeconds?: number;
        }) | null;
        removedAt: number | null;
        request: {
            captionsFirst: boolean;
            clip: {
                endSeconds: number | null;
                startSeconds: number | null;
            } | null;
            importId: string | null;
            language: string | null;
            maxCostMicros: number | null;
            provider: "builtin" | "provider_a" | "provider_b" | "provider_c" | null;
            providerOptions: string | null;
            speakers: {
                max: number | null;
                min: number | null;
            } | null;
            uploadId: string | null;
            url: string | null;
            webhookUrl: string | null;
            words: boolean;
        } & {
            linked?: {
                chapters: string | null;
                transcripts: {
                    format: "html" | "json" | "srt" | "vtt";
                    language: string | null;
                    url: string;
                }[];
            };
            translate?: "en";
            vocabulary?: {
                keywords: string[];
                prompt: string | null;
            };
        };
        result: ({
            attempt: number;
            chapters: {
                endSeconds: number;
                startSeconds: number;
                title: string;
            }[];
            costMicros: number;
            downloadCostMicros: number | null;
            durationSeconds: number;
            hasSpeakers: boolean;
            hasWords: boolean;
            language: string;
            plainBytes: number | null;
            segments: number;
            source: "builtin" | "platform_captions" | "provider_a" | "provider_b" | "provider_c";
            step: "audio" | "captions" | "deliver" | "fetch" | "recognize";
            title: string | null;
        } & {
            languageProbability?: number;
            model?: string;
            providerService?: "assemblyai" | "deepgram" | "openai";
            readBy?: {
                extractor: string | null;
                extractorVersion: string | null;
            };
            secret?: string;
            translatedTo?: "en";
            vocabulary?: boolean;
        }) | null;
        startedAt: number | null;
        state: "completed" | "failed" | "queued" | "running";
        step: "audio" | "captions" | "deliver" | "fetch" | "recognize" | null;
    } & {
        batch?: {
            id: string;
            index: number;
        };
        keyId?: string | null;
        metadata?: {
            [x: string]: string;
        };
        prices?: {
            builtinPerMinute: number;
            captions: number;
            downloadPerMegabyte: number;
            providerPerMinute: number;
            speechMinimum: number;
        };
    }) | null;
    ledger: (identity: {
        endpoint: string;
        keyHash: string;
        needs: ("full key" | "import" | "manage" | "read" | "transcribe")[];
        rateClass: "general" | "import" | "status" | "transcribe";
    } & {
        origin?: string | null;
    }, page: {
        before: string | null;
        limit: number;
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "KEY_BUDGET_EXCEEDED" | "LAST_KEY" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SCOPE_MISSING" | "SERVICE_BUSY" | "SERVICE_UNAVAILABLE" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TOO_MANY_KEYS" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: ({
                amount: number;
                at: number;
                id: string;
                jobId: string | null;
                kind: "charge" | "credit" | "hold" | "release";
            } & {
                keyId?: string | null;
            })[];
        };
    } & {
        allowsOrigin?: true;
    };
    look: () => ({
        available: number;
        balance: number;
        createdAt: number;
        held: number;
        id: string;
        isSuspended: boolean;
        lastUsedAt: number | null;
        limits: {
            concurrentJobs: {
                import: number;
                transcription: number;
            };
            freeWork: {
                bytesPerHour: number;
                engineSecondsPerHour: number;
            };
            requestsPerHour: {
                general: number;
                import: number;
                status: number;
                transcribe: number;
            };
            uploadBytes: number;
        };
        liveJobs: number;
        name: string;
    } & {
        prices?: {
            builtinPerMinute: number;
            captions: number;
            downloadPerMegabyte: number;
            providerPerMinute: number;
            speechMinimum: number;
        };
    }) | null;
    markUploadReady: (args_0: {
        attempt: number;
        contentType: string | null;
        durationSeconds: number | null;
        id: string;
        sizeBytes: number;
    }) => ({
        attempt: number;
        contentType: string | null;
        createdAt: number;
        durationSeconds: number | null;
        expiresAt: number;
        filename: string;
        id: string;
        multipartId: string | null;
        sizeBytes: number;
        state: "pending" | "ready" | "removed";
    } & {
        keyId?: string | null;
        secret?: string | null;
    }) | null;
    mayStart: (identity: {
        endpoint: string;
        keyHash: string;
        needs: ("full key" | "import" | "manage" | "read" | "transcribe")[];
        rateClass: "general" | "import" | "status" | "transcribe";
    } & {
        origin?: string | null;
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "KEY_BUDGET_EXCEEDED" | "LAST_KEY" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SCOPE_MISSING" | "SERVICE_BUSY" | "SERVICE_UNAVAILABLE" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TOO_MANY_KEYS" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: null;
        };
    } & {
        allowsOrigin?: true;
    };
    noteBegunResponse: (joinKey: string, jobId: string) => void;
    noteLookup: (by: {
        keyHash: string;
    } | {
        batchId: string;
    }, work: {
        bytes: number;
        engineMs: number;
    }) => void;
    noteToCleanUp: (jobId: string) => string | null;
    noteUpload: (lease: {
        jobId: string;
        lease: string;
    } & {
        attempt?: number;
    }, args_1: {
        key: string;
        uploadId: string | null;
    }) => boolean;
    noteWaiting: () => void;
    openEventStream: (identity: {
        endpoint: string;
        keyHash: string;
        needs: ("full key" | "import" | "manage" | "read" | "transcribe")[];
        rateClass: "general" | "import" | "status" | "transcribe";
    } & {
        origin?: string | null;
    }, streamId: string, lastEventId: string | null) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "KEY_BUDGET_EXCEEDED" | "LAST_KEY" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SCOPE_MISSING" | "SERVICE_BUSY" | "SERVICE_UNAVAILABLE" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TOO_MANY_KEYS" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                after: number;
            };
        };
    } & {
        allowsOrigin?: true;
    };
    openJobs: (identity: {
        endpoint: string;
        keyHash: string;
        needs: ("full key" | "import" | "manage" | "read" | "transcribe")[];
        rateClass: "general" | "import" | "status" | "transcribe";
    } & {
        origin?: string | null;
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "KEY_BUDGET_EXCEEDED" | "LAST_KEY" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SCOPE_MISSING" | "SERVICE_BUSY" | "SERVICE_UNAVAILABLE" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TOO_MANY_KEYS" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: ({
                completedAt: number | null;
                costMicros: number | null;
                createdAt: number;
                failureCode: string | null;
                id: string;
                kind: "import" | "transcription";
                removedAt: number | null;
                startedAt: number | null;
                state: "completed" | "failed" | "queued" | "running";
                title: string | null;
                url: string | null;
            } & {
                expiresAt?: number | null;
                keyId?: string | null;
                metadata?: {
                    [x: string]: string;
                };
                phase?: "delivering" | "running" | "waiting";
            })[];
        };
    } & {
        allowsOrigin?: true;
        onlyOf?: string | null;
    };
    openStart: (identity: {
        endpoint: string;
        keyHash: string;
        needs: ("full key" | "import" | "manage" | "read" | "transcribe")[];
        rateClass: "general" | "import" | "status" | "transcribe";
    } & {
        origin?: string | null;
    }, start: {
        idempotency: {
            fingerprint: string;
            key: string;
        } | null;
        job: {
            kind: "import";
            request: {
                audioFormat: "m4a" | "mp3" | "opus" | "source" | "wav";
                audioQuality: "best" | "high" | "low" | "lowest" | "medium";
                clip: {
                    endSeconds: number | null;
                    startSeconds: number | null;
                } | null;
                includeAudio: boolean;
                includeVideo: boolean;
                storageBucket: string | null;
                storageClass: string | null;
                storageFilename: string | null;
                storagePath: string | null;
                storageReturnLocation: boolean;
                store: boolean;
                url: string;
                videoQuality: "1080p" | "1440p" | "144p" | "2160p" | "240p" | "360p" | "480p" | "720p" | "best" | "lowest";
                webhookUrl: string | null;
            } & {
                maxBytes?: number;
                maxCostMicros?: number;
            };
        } | {
            kind: "transcription";
            request: {
                captionsFirst: boolean;
                clip: {
                    endSeconds: number | null;
                    startSeconds: number | null;
                } | null;
                importId: string | null;
                language: string | null;
                maxCostMicros: number | null;
                provider: "builtin" | "provider_a" | "provider_b" | "provider_c" | null;
                providerOptions: string | null;
                speakers: {
                    max: number | null;
                    min: number | null;
                } | null;
                uploadId: string | null;
                url: string | null;
                webhookUrl: string | null;
                words: boolean;
            } & {
                linked?: {
                    chapters: string | null;
                    transcripts: {
                        format: "html" | "json" | "srt" | "vtt";
                        language: string | null;
                        url: string;
                    }[];
                };
                translate?: "en";
                vocabulary?: {
                    keywords: string[];
                    prompt: string | null;
                };
            };
        } | null;
        joinKey: string | null;
        requestId: string;
        reuse: {
            reuseKey: string;
            withinMs: number;
        } | null;
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "KEY_BUDGET_EXCEEDED" | "LAST_KEY" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SCOPE_MISSING" | "SERVICE_BUSY" | "SERVICE_UNAVAILABLE" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TOO_MANY_KEYS" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                isReused: boolean;
                jobId: string;
            } | null;
        };
    } & {
        allowsOrigin?: true;
    };
    pauseCopy: (lease: {
        jobId: string;
        lease: string;
    } & {
        attempt?: number;
    }, pause: {
        kind: "more";
    } | {
        kind: "retry";
        reason: {
            code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "KEY_BUDGET_EXCEEDED" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "OPTION_UNSUPPORTED" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
            message: string;
            retryable: boolean;
        } & {
            quote?: {
                costMicros: number;
                seconds: number;
            } & {
                isEstimate?: boolean;
            };
        };
    }) => boolean;
    postpone: (lease: {
        jobId: string;
        lease: string;
    } & {
        attempt?: number;
    }, postponement: {
        delayMs: number;
    } & {
        carry?: ({
            audioCodec: string | null;
            contentType: string;
            downloadedBytes: number;
            durationSeconds: number;
            fileSizeBytes: number;
            filename: string;
            height: number | null;
            note: string | null;
            sha256: string;
            stored: {
                attempt: number;
                hasThumbnail: boolean;
            } & {
                secret?: string;
            };
            title: string;
            videoCodec: string | null;
            width: number | null;
        } & {
            billedBytes?: number;
            clip?: {
                actualStartSeconds: number;
                endSeconds: number;
                startSeconds: number;
            };
            readBy?: {
                extractor: string | null;
                extractorVersion: string | null;
            };
            transcoded?: boolean;
        }) | ({
            attempt: number;
            downloadedBytes: number;
            durationSeconds: number;
            pieces: {
                durationSeconds: number;
                key: string;
                offsetSeconds: number;
                sizeBytes: number;
            }[];
            waits: number;
        } & {
            chapters?: {
                endSeconds: number;
                startSeconds: number;
                title: string;
            }[];
            mediaSeconds?: number;
            readBy?: {
                extractor: string | null;
                extractorVersion: string | null;
            };
            title?: string;
            turns?: {
                key: string;
                sizeBytes: number;
            };
        }) | null;
        diskBytes?: number;
        downloadedBytes?: number;
    }) => boolean;
    progress: (lease: {
        jobId: string;
        lease: string;
    } & {
        attempt?: number;
    }, report: {
        bytesPerSecond: number | null;
        downloadedBytes: number;
        percent: number | null;
        stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
        totalBytes: number | null;
    } & {
        durationIsEstimate?: boolean;
        durationSeconds?: number | null;
        estimatedBytes?: number;
        neededBytes?: number;
        wantedBytes?: number;
        wantedSeconds?: number;
    }) => "continue" | "lost" | "stop";
    read: (identity: {
        endpoint: string;
        keyHash: string;
        needs: ("full key" | "import" | "manage" | "read" | "transcribe")[];
        rateClass: "general" | "import" | "status" | "transcribe";
    } & {
        origin?: string | null;
    }, jobId: string, kind: "import" | "transcription" | null) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "KEY_BUDGET_EXCEEDED" | "LAST_KEY" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SCOPE_MISSING" | "SERVICE_BUSY" | "SERVICE_UNAVAILABLE" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TOO_MANY_KEYS" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                job: ({
                    attempts: number;
                    carry: ({
                        audioCodec: string | null;
                        contentType: string;
                        downloadedBytes: number;
                        durationSeconds: number;
                        fileSizeBytes: number;
                        filename: string;
                        height: number | null;
                        note: string | null;
                        sha256: string;
                        stored: {
                            attempt: number;
                            hasThumbnail: boolean;
                        } & {
                            secret?: string;
                        };
                        title: string;
                        videoCodec: string | null;
                        width: number | null;
                    } & {
                        billedBytes?: number;
                        clip?: {
                            actualStartSeconds: number;
                            endSeconds: number;
                            startSeconds: number;
                        };
                        readBy?: {
                            extractor: string | null;
                            extractorVersion: string | null;
                        };
                        transcoded?: boolean;
                    }) | null;
                    completedAt: number | null;
                    createdAt: number;
                    failure: ({
                        code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "KEY_BUDGET_EXCEEDED" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "OPTION_UNSUPPORTED" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                        message: string;
                        retryable: boolean;
                    } & {
                        quote?: {
                            costMicros: number;
                            seconds: number;
                        } & {
                            isEstimate?: boolean;
                        };
                    }) | null;
                    id: string;
                    kind: "import";
                    leaseNumber: number;
                    origin: string | null;
                    progress: ({
                        bytesPerSecond: number | null;
                        downloadedBytes: number;
                        percent: number | null;
                        stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
                        totalBytes: number | null;
                    } & {
                        durationIsEstimate?: boolean;
                        durationSeconds?: number | null;
                        estimatedBytes?: number;
                        neededBytes?: number;
                        wantedBytes?: number;
                        wantedSeconds?: number;
                    }) | null;
                    removedAt: number | null;
                    request: {
                        audioFormat: "m4a" | "mp3" | "opus" | "source" | "wav";
                        audioQuality: "best" | "high" | "low" | "lowest" | "medium";
                        clip: {
                            endSeconds: number | null;
                            startSeconds: number | null;
                        } | null;
                        includeAudio: boolean;
                        includeVideo: boolean;
                        storageBucket: string | null;
                        storageClass: string | null;
                        storageFilename: string | null;
                        storagePath: string | null;
                        storageReturnLocation: boolean;
                        store: boolean;
                        url: string;
                        videoQuality: "1080p" | "1440p" | "144p" | "2160p" | "240p" | "360p" | "480p" | "720p" | "best" | "lowest";
                        webhookUrl: string | null;
                    } & {
                        maxBytes?: number;
                        maxCostMicros?: number;
                    };
                    result: ({
                        audioCodec: string | null;
                        bucket: {
                            bucket: string;
                            key: string;
                            url: string;
                        } | null;
                        contentType: string;
                        costMicros: number;
                        downloadedBytes: number;
                        durationSeconds: number;
                        expiresAt: number;
                        fileSizeBytes: number;
                        filename: string;
                        height: number | null;
                        note: string | null;
                        sha256: string;
                        stored: {
                            attempt: number;
                            hasThumbnail: boolean;
                        } & {
                            secret?: string;
                        };
                        title: string;
                        videoCodec: string | null;
                        width: number | null;
                    } & {
                        billedBytes?: number;
                        clip?: {
                            actualStartSeconds: number;
                            endSeconds: number;
                            startSeconds: number;
                        };
                        readBy?: {
                            extractor: string | null;
                            extractorVersion: string | null;
                        };
                        transcoded?: boolean;
                    }) | null;
                    startedAt: number | null;
                    state: "completed" | "failed" | "queued" | "running";
                    step: "audio" | "captions" | "deliver" | "fetch" | "recognize" | null;
                } & {
                    batch?: {
                        id: string;
                        index: number;
                    };
                    keyId?: string | null;
                    metadata?: {
                        [x: string]: string;
                    };
                    prices?: {
                        builtinPerMinute: number;
                        captions: number;
                        downloadPerMegabyte: number;
                        providerPerMinute: number;
                        speechMinimum: number;
                    };
                }) | ({
                    attempts: number;
                    carry: ({
                        attempt: number;
                        downloadedBytes: number;
                        durationSeconds: number;
                        pieces: {
                            durationSeconds: number;
                            key: string;
                            offsetSeconds: number;
                            sizeBytes: number;
                        }[];
                        waits: number;
                    } & {
                        chapters?: {
                            endSeconds: number;
                            startSeconds: number;
                            title: string;
                        }[];
                        mediaSeconds?: number;
                        readBy?: {
                            extractor: string | null;
                            extractorVersion: string | null;
                        };
                        title?: string;
                        turns?: {
                            key: string;
                            sizeBytes: number;
                        };
                    }) | null;
                    completedAt: number | null;
                    createdAt: number;
                    failure: ({
                        code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "KEY_BUDGET_EXCEEDED" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "OPTION_UNSUPPORTED" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                        message: string;
                        retryable: boolean;
                    } & {
                        quote?: {
                            costMicros: number;
                            seconds: number;
                        } & {
                            isEstimate?: boolean;
                        };
                    }) | null;
                    id: string;
                    kind: "transcription";
                    leaseNumber: number;
                    origin: string | null;
                    progress: ({
                        bytesPerSecond: number | null;
                        downloadedBytes: number;
                        percent: number | null;
                        stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
                        totalBytes: number | null;
                    } & {
                        durationIsEstimate?: boolean;
                        durationSeconds?: number | null;
                        estimatedBytes?: number;
                        neededBytes?: number;
                        wantedBytes?: number;
                        wantedSeconds?: number;
                    }) | null;
                    removedAt: number | null;
                    request: {
                        captionsFirst: boolean;
                        clip: {
                            endSeconds: number | null;
                            startSeconds: number | null;
                        } | null;
                        importId: string | null;
                        language: string | null;
                        maxCostMicros: number | null;
                        provider: "builtin" | "provider_a" | "provider_b" | "provider_c" | null;
                        providerOptions: string | null;
                        speakers: {
                            max: number | null;
                            min: number | null;
                        } | null;
                        uploadId: string | null;
                        url: string | null;
                        webhookUrl: string | null;
                        words: boolean;
                    } & {
                        linked?: {
                            chapters: string | null;
                            transcripts: {
                                format: "html" | "json" | "srt" | "vtt";
                                language: string | null;
                                url: string;
                            }[];
                        };
                        translate?: "en";
                        vocabulary?: {
                            keywords: string[];
                            prompt: string | null;
                        };
                    };
                    result: ({
                        attempt: number;
                        chapters: {
                            endSeconds: number;
                            startSeconds: number;
                            title: string;
                        }[];
                        costMicros: number;
                        downloadCostMicros: number | null;
                        durationSeconds: number;
                        hasSpeakers: boolean;
                        hasWords: boolean;
                        language: string;
                        plainBytes: number | null;
                        segments: number;
                        source: "builtin" | "platform_captions" | "provider_a" | "provider_b" | "provider_c";
                        step: "audio" | "captions" | "deliver" | "fetch" | "recognize";
                        title: string | null;
                    } & {
                        languageProbability?: number;
                        model?: string;
                        providerService?: "assemblyai" | "deepgram" | "openai";
                        readBy?: {
                            extractor: string | null;
                            extractorVersion: string | null;
                        };
                        secret?: string;
                        translatedTo?: "en";
                        vocabulary?: boolean;
                    }) | null;
                    startedAt: number | null;
                    state: "completed" | "failed" | "queued" | "running";
                    step: "audio" | "captions" | "deliver" | "fetch" | "recognize" | null;
                } & {
                    batch?: {
                        id: string;
                        index: number;
                    };
                    keyId?: string | null;
                    metadata?: {
                        [x: string]: string;
                    };
                    prices?: {
                        builtinPerMinute: number;
                        captions: number;
                        downloadPerMegabyte: number;
                        providerPerMinute: number;
                        speechMinimum: number;
                    };
                });
                version: number;
            };
        };
    } & {
        allowsOrigin?: true;
    };
    readBatch: (identity: {
        endpoint: string;
        keyHash: string;
        needs: ("full key" | "import" | "manage" | "read" | "transcribe")[];
        rateClass: "general" | "import" | "status" | "transcribe";
    } & {
        origin?: string | null;
    }, batchId: string) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "KEY_BUDGET_EXCEEDED" | "LAST_KEY" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SCOPE_MISSING" | "SERVICE_BUSY" | "SERVICE_UNAVAILABLE" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TOO_MANY_KEYS" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                completedAt: number | null;
                costMicros: number;
                counts: {
                    completed: number;
                    failed: number;
                    running: number;
                    skipped: number;
                    total: number | null;
                    waiting: number;
                };
                createdAt: number;
                failure: ({
                    code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "KEY_BUDGET_EXCEEDED" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "OPTION_UNSUPPORTED" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                    message: string;
                    retryable: boolean;
                } & {
                    quote?: {
                        costMicros: number;
                        seconds: number;
                    } & {
                        isEstimate?: boolean;
                    };
                }) | null;
                id: string;
                kind: "import" | "transcription";
                maxCostMicros: number | null;
                origin: string | null;
                state: "canceled" | "completed" | "failed" | "queued" | "running";
                title: string | null;
                webhookUrl: string | null;
            } & {
                metadata?: {
                    [x: string]: string;
                };
            };
        };
    } & {
        allowsOrigin?: true;
    };
    refuseItem: (report: {
        batchId: string;
        index: number | null;
        lease: string;
    }, refusal: {
        code: string;
        message: string;
        retryable: boolean;
    }) => boolean;
    refuseStep: (jobId: string, step: "audio" | "captions" | "deliver" | "fetch" | "recognize", leases: number, reason: {
        code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "KEY_BUDGET_EXCEEDED" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "OPTION_UNSUPPORTED" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
        message: string;
        retryable: boolean;
    } & {
        quote?: {
            costMicros: number;
            seconds: number;
        } & {
            isEstimate?: boolean;
        };
    }) => boolean;
    remove: (identity: {
        endpoint: string;
        keyHash: string;
        needs: ("full key" | "import" | "manage" | "read" | "transcribe")[];
        rateClass: "general" | "import" | "status" | "transcribe";
    } & {
        origin?: string | null;
    }, jobId: string) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "KEY_BUDGET_EXCEEDED" | "LAST_KEY" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SCOPE_MISSING" | "SERVICE_BUSY" | "SERVICE_UNAVAILABLE" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TOO_MANY_KEYS" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                job: ({
                    attempts: number;
                    carry: ({
                        audioCodec: string | null;
                        contentType: string;
                        downloadedBytes: number;
                        durationSeconds: number;
                        fileSizeBytes: number;
                        filename: string;
                        height: number | null;
                        note: string | null;
                        sha256: string;
                        stored: {
                            attempt: number;
                            hasThumbnail: boolean;
                        } & {
                            secret?: string;
                        };
                        title: string;
                        videoCodec: string | null;
                        width: number | null;
                    } & {
                        billedBytes?: number;
                        clip?: {
                            actualStartSeconds: number;
                            endSeconds: number;
                            startSeconds: number;
                        };
                        readBy?: {
                            extractor: string | null;
                            extractorVersion: string | null;
                        };
                        transcoded?: boolean;
                    }) | null;
                    completedAt: number | null;
                    createdAt: number;
                    failure: ({
                        code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "KEY_BUDGET_EXCEEDED" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "OPTION_UNSUPPORTED" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                        message: string;
                        retryable: boolean;
                    } & {
                        quote?: {
                            costMicros: number;
                            seconds: number;
                        } & {
                            isEstimate?: boolean;
                        };
                    }) | null;
                    id: string;
                    kind: "import";
                    leaseNumber: number;
                    origin: string | null;
                    progress: ({
                        bytesPerSecond: number | null;
                        downloadedBytes: number;
                        percent: number | null;
                        stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
                        totalBytes: number | null;
                    } & {
                        durationIsEstimate?: boolean;
                        durationSeconds?: number | null;
                        estimatedBytes?: number;
                        neededBytes?: number;
                        wantedBytes?: number;
                        wantedSeconds?: number;
                    }) | null;
                    removedAt: number | null;
                    request: {
                        audioFormat: "m4a" | "mp3" | "opus" | "source" | "wav";
                        audioQuality: "best" | "high" | "low" | "lowest" | "medium";
                        clip: {
                            endSeconds: number | null;
                            startSeconds: number | null;
                        } | null;
                        includeAudio: boolean;
                        includeVideo: boolean;
                        storageBucket: string | null;
                        storageClass: string | null;
                        storageFilename: string | null;
                        storagePath: string | null;
                        storageReturnLocation: boolean;
                        store: boolean;
                        url: string;
                        videoQuality: "1080p" | "1440p" | "144p" | "2160p" | "240p" | "360p" | "480p" | "720p" | "best" | "lowest";
                        webhookUrl: string | null;
                    } & {
                        maxBytes?: number;
                        maxCostMicros?: number;
                    };
                    result: ({
                        audioCodec: string | null;
                        bucket: {
                            bucket: string;
                            key: string;
                            url: string;
                        } | null;
                        contentType: string;
                        costMicros: number;
                        downloadedBytes: number;
                        durationSeconds: number;
                        expiresAt: number;
                        fileSizeBytes: number;
                        filename: string;
                        height: number | null;
                        note: string | null;
                        sha256: string;
                        stored: {
                            attempt: number;
                            hasThumbnail: boolean;
                        } & {
                            secret?: string;
                        };
                        title: string;
                        videoCodec: string | null;
                        width: number | null;
                    } & {
                        billedBytes?: number;
                        clip?: {
                            actualStartSeconds: number;
                            endSeconds: number;
                            startSeconds: number;
                        };
                        readBy?: {
                            extractor: string | null;
                            extractorVersion: string | null;
                        };
                        transcoded?: boolean;
                    }) | null;
                    startedAt: number | null;
                    state: "completed" | "failed" | "queued" | "running";
                    step: "audio" | "captions" | "deliver" | "fetch" | "recognize" | null;
                } & {
                    batch?: {
                        id: string;
                        index: number;
                    };
                    keyId?: string | null;
                    metadata?: {
                        [x: string]: string;
                    };
                    prices?: {
                        builtinPerMinute: number;
                        captions: number;
                        downloadPerMegabyte: number;
                        providerPerMinute: number;
                        speechMinimum: number;
                    };
                }) | ({
                    attempts: number;
                    carry: ({
                        attempt: number;
                        downloadedBytes: number;
                        durationSeconds: number;
                        pieces: {
                            durationSeconds: number;
                            key: string;
                            offsetSeconds: number;
                            sizeBytes: number;
                        }[];
                        waits: number;
                    } & {
                        chapters?: {
                            endSeconds: number;
                            startSeconds: number;
                            title: string;
                        }[];
                        mediaSeconds?: number;
                        readBy?: {
                            extractor: string | null;
                            extractorVersion: string | null;
                        };
                        title?: string;
                        turns?: {
                            key: string;
                            sizeBytes: number;
                        };
                    }) | null;
                    completedAt: number | null;
                    createdAt: number;
                    failure: ({
                        code: "CANCELED" | "CLIP_OUT_OF_RANGE" | "INSUFFICIENT_BALANCE" | "INTERNAL" | "KEY_BUDGET_EXCEEDED" | "MAX_COST_EXCEEDED" | "MAX_COST_REQUIRED" | "MEDIA_TOO_LARGE" | "MEDIA_TOO_LONG" | "NO_AUDIO" | "NO_ITEMS" | "NO_SPEECH" | "NO_VIDEO" | "OPTION_UNSUPPORTED" | "PROVIDER_FAILED" | "PROVIDER_KEY_REJECTED" | "PROVIDER_QUOTA" | "PROVIDER_RATE_LIMITED" | "SOURCE_AGE_RESTRICTED" | "SOURCE_BLOCKED" | "SOURCE_DRM" | "SOURCE_LIVE" | "SOURCE_NOT_FOUND" | "SOURCE_PRIVATE" | "SOURCE_RATE_LIMITED" | "SOURCE_REGION_BLOCKED" | "SOURCE_TRUNCATED" | "SOURCE_UNREACHABLE" | "SOURCE_UNSUPPORTED" | "SPEECH_UNAVAILABLE" | "STORAGE_FAILED" | "TIMED_OUT" | "TRANSCRIPTION_PROVIDER_REQUIRED";
                        message: string;
                        retryable: boolean;
                    } & {
                        quote?: {
                            costMicros: number;
                            seconds: number;
                        } & {
                            isEstimate?: boolean;
                        };
                    }) | null;
                    id: string;
                    kind: "transcription";
                    leaseNumber: number;
                    origin: string | null;
                    progress: ({
                        bytesPerSecond: number | null;
                        downloadedBytes: number;
                        percent: number | null;
                        stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
                        totalBytes: number | null;
                    } & {
                        durationIsEstimate?: boolean;
                        durationSeconds?: number | null;
                        estimatedBytes?: number;
                        neededBytes?: number;
                        wantedBytes?: number;
                        wantedSeconds?: number;
                    }) | null;
                    removedAt: number | null;
                    request: {
                        captionsFirst: boolean;
                        clip: {
                            endSeconds: number | null;
                            startSeconds: number | null;
                        } | null;
                        importId: string | null;
                        language: string | null;
                        maxCostMicros: number | null;
                        provider: "builtin" | "provider_a" | "provider_b" | "provider_c" | null;
                        providerOptions: string | null;
                        speakers: {
                            max: number | null;
                            min: number | null;
                        } | null;
                        uploadId: string | null;
                        url: string | null;
                        webhookUrl: string | null;
                        words: boolean;
                    } & {
                        linked?: {
                            chapters: string | null;
                            transcripts: {
                                format: "html" | "json" | "srt" | "vtt";
                                language: string | null;
                                url: string;
                            }[];
                        };
                        translate?: "en";
                        vocabulary?: {
                            keywords: string[];
                            prompt: string | null;
                        };
                    };
                    result: ({
                        attempt: number;
                        chapters: {
                            endSeconds: number;
                            startSeconds: number;
                            title: string;
                        }[];
                        costMicros: number;
                        downloadCostMicros: number | null;
                        durationSeconds: number;
                        hasSpeakers: boolean;
                        hasWords: boolean;
                        language: string;
                        plainBytes: number | null;
                        segments: number;
                        source: "builtin" | "platform_captions" | "provider_a" | "provider_b" | "provider_c";
                        step: "audio" | "captions" | "deliver" | "fetch" | "recognize";
                        title: string | null;
                    } & {
                        languageProbability?: number;
                        model?: string;
                        providerService?: "assemblyai" | "deepgram" | "openai";
                        readBy?: {
                            extractor: string | null;
                            extractorVersion: string | null;
                        };
                        secret?: string;
                        translatedTo?: "en";
                        vocabulary?: boolean;
                    }) | null;
                    startedAt: number | null;
                    state: "completed" | "failed" | "queued" | "running";
                    step: "audio" | "captions" | "deliver" | "fetch" | "recognize" | null;
                } & {
                    batch?: {
                        id: string;
                        index: number;
                    };
                    keyId?: string | null;
                    metadata?: {
                        [x: string]: string;
                    };
                    prices?: {
                        builtinPerMinute: number;
                        captions: number;
                        downloadPerMegabyte: number;
                        providerPerMinute: number;
                        speechMinimum: number;
                    };
                });
                version: number;
            };
        };
    } & {
        allowsOrigin?: true;
    };
    removeKey: (identity: {
        endpoint: string;
        keyHash: string;
        needs: ("full key" | "import" | "manage" | "read" | "transcribe")[];
        rateClass: "general" | "import" | "status" | "transcribe";
    } & {
        origin?: string | null;
    }, id: string) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "KEY_BUDGET_EXCEEDED" | "LAST_KEY" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SCOPE_MISSING" | "SERVICE_BUSY" | "SERVICE_UNAVAILABLE" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TOO_MANY_KEYS" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: null;
        };
    } & {
        allowsOrigin?: true;
    };
    removeUpload: (identity: {
        endpoint: string;
        keyHash: string;
        needs: ("full key" | "import" | "manage" | "read" | "transcribe")[];
        rateClass: "general" | "import" | "status" | "transcribe";
    } & {
        origin?: string | null;
    }, id: string) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "KEY_BUDGET_EXCEEDED" | "LAST_KEY" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SCOPE_MISSING" | "SERVICE_BUSY" | "SERVICE_UNAVAILABLE" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TOO_MANY_KEYS" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                attempt: number;
                contentType: string | null;
                createdAt: number;
                durationSeconds: number | null;
                expiresAt: number;
                filename: string;
                id: string;
                multipartId: string | null;
                sizeBytes: number;
                state: "pending" | "ready" | "removed";
            } & {
                keyId?: string | null;
                secret?: string | null;
            };
        };
    } & {
        allowsOrigin?: true;
    };
    replay: (identity: {
        endpoint: string;
        keyHash: string;
        needs: ("full key" | "import" | "manage" | "read" | "transcribe")[];
        rateClass: "general" | "import" | "status" | "transcribe";
    } & {
        origin?: string | null;
    }, deliveryId: string) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "KEY_BUDGET_EXCEEDED" | "LAST_KEY" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SCOPE_MISSING" | "SERVICE_BUSY" | "SERVICE_UNAVAILABLE" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TOO_MANY_KEYS" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                attemptError: "ADDRESS_NOT_PUBLIC" | "CONNECTION_FAILED" | "INTERRUPTED" | "REDIRECTED" | "REFUSED" | "TIMED_OUT" | null;
                attemptedAt: number | null;
                attempts: number;
                batchId: string | null;
                createdAt: number;
                id: string;
                jobId: string | null;
                nextAt: number | null;
                responseBody: string | null;
                state: "delivered" | "failed" | "pending";
                status: number | null;
                type: "batch.canceled" | "batch.completed" | "batch.failed" | "import.completed" | "import.failed" | "transcription.completed" | "transcription.failed" | "webhook.test";
                url: string;
            };
        };
    } & {
        allowsOrigin?: true;
    };
    replayFailed: (identity: {
        endpoint: string;
        keyHash: string;
        needs: ("full key" | "import" | "manage" | "read" | "transcribe")[];
        rateClass: "general" | "import" | "status" | "transcribe";
    } & {
        origin?: string | null;
    }, since: number) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "KEY_BUDGET_EXCEEDED" | "LAST_KEY" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SCOPE_MISSING" | "SERVICE_BUSY" | "SERVICE_UNAVAILABLE" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TOO_MANY_KEYS" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                more: boolean;
                replayed: number;
            };
        };
    } & {
        allowsOrigin?: true;
    };
    reportDelivery: (args_0: {
        id: string;
        lease: string;
        outcome: {
            attemptError: "ADDRESS_NOT_PUBLIC" | "CONNECTION_FAILED" | "INTERRUPTED" | "REDIRECTED" | "REFUSED" | "TIMED_OUT" | null;
            responseBody: string | null;
            retryAfterMs: number | null;
            status: number | null;
        };
    }) => {
        attemptError: "ADDRESS_NOT_PUBLIC" | "CONNECTION_FAILED" | "INTERRUPTED" | "REDIRECTED" | "REFUSED" | "TIMED_OUT" | null;
        attemptedAt: number | null;
        attempts: number;
        batchId: string | null;
        createdAt: number;
        id: string;
        jobId: string | null;
        nextAt: number | null;
        responseBody: string | null;
        state: "delivered" | "failed" | "pending";
        status: number | null;
        type: "batch.canceled" | "batch.completed" | "batch.failed" | "import.completed" | "import.failed" | "transcription.completed" | "transcription.failed" | "webhook.test";
        url: string;
    } | null;
    reportProgress: (lease: {
        jobId: string;
        lease: string;
    } & {
        attempt?: number;
    }, report: {
        bytesPerSecond: number | null;
        downloadedBytes: number;
        percent: number | null;
        stage: "delivering" | "downloading" | "processing" | "recognizing" | "resolving" | "uploading";
        totalBytes: number | null;
    } & {
        durationIsEstimate?: boolean;
        durationSeconds?: number | null;
        estimatedBytes?: number;
        neededBytes?: number;
        wantedBytes?: number;
        wantedSeconds?: number;
    }) => {
        agreedBytes: number | null;
        agreedSeconds: number | null;
        verdict: "continue" | "lost" | "stop";
    };
    reserveReceivedFile: (identity: {
        endpoint: string;
        keyHash: string;
        needs: ("full key" | "import" | "manage" | "read" | "transcribe")[];
        rateClass: "general" | "import" | "status" | "transcribe";
    } & {
        origin?: string | null;
    }, file: {
        contentType: string | null;
        filename: string;
    } & {
        id?: string;
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "KEY_BUDGET_EXCEEDED" | "LAST_KEY" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SCOPE_MISSING" | "SERVICE_BUSY" | "SERVICE_UNAVAILABLE" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TOO_MANY_KEYS" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                attempt: number;
                contentType: string | null;
                createdAt: number;
                durationSeconds: number | null;
                expiresAt: number;
                filename: string;
                id: string;
                multipartId: string | null;
                sizeBytes: number;
                state: "pending" | "ready" | "removed";
            } & {
                keyId?: string | null;
                secret?: string | null;
            };
        };
    } & {
        allowsOrigin?: true;
    };
    reserveUpload: (identity: {
        endpoint: string;
        keyHash: string;
        needs: ("full key" | "import" | "manage" | "read" | "transcribe")[];
        rateClass: "general" | "import" | "status" | "transcribe";
    } & {
        origin?: string | null;
    }, file: {
        contentType: string | null;
        filename: string;
        sizeBytes: number;
    } & {
        id?: string;
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "KEY_BUDGET_EXCEEDED" | "LAST_KEY" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SCOPE_MISSING" | "SERVICE_BUSY" | "SERVICE_UNAVAILABLE" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TOO_MANY_KEYS" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                attempt: number;
                contentType: string | null;
                createdAt: number;
                durationSeconds: number | null;
                expiresAt: number;
                filename: string;
                id: string;
                multipartId: string | null;
                sizeBytes: number;
                state: "pending" | "ready" | "removed";
            } & {
                keyId?: string | null;
                secret?: string | null;
            };
        };
    } & {
        allowsOrigin?: true;
    };
    retryBatch: (identity: {
        endpoint: string;
        keyHash: string;
        needs: ("full key" | "import" | "manage" | "read" | "transcribe")[];
        rateClass: "general" | "import" | "status" | "transcribe";
    } & {
        origin?: string | null;
    }, earlierId: string, args_2: {
        idempotency: {
            fingerprint: string;
            key: string;
        } | null;
        origin: string | null;
    } & {
        batchId?: string;
        requestId?: string;
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "KEY_BUDGET_EXCEEDED" | "LAST_KEY" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SCOPE_MISSING" | "SERVICE_BUSY" | "SERVICE_UNAVAILABLE" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TOO_MANY_KEYS" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                batchId: string;
                total: number | null;
                webhookUrl: string | null;
            };
        };
    } & {
        allowsOrigin?: true;
    };
    reuseItem: (report: {
        batchId: string;
        index: number | null;
        lease: string;
    }, reuseKey: string) => boolean;
    revokeKey: (keyId: string) => boolean | null;
    rotateWebhookSecret: (identity: {
        endpoint: string;
        keyHash: string;
        needs: ("full key" | "import" | "manage" | "read" | "transcribe")[];
        rateClass: "general" | "import" | "status" | "transcribe";
    } & {
        origin?: string | null;
    }, seed?: string | undefined) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "KEY_BUDGET_EXCEEDED" | "LAST_KEY" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SCOPE_MISSING" | "SERVICE_BUSY" | "SERVICE_UNAVAILABLE" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TOO_MANY_KEYS" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                createdAt: number;
                expiresAt: number | null;
                seed: string;
            }[];
        };
    } & {
        allowsOrigin?: true;
    };
    saveCopy: (args_0: {
        jobId: string;
        lease: string;
    } & {
        attempt?: number;
    }, note: string) => "continue" | "lost" | "over";
    sealedKey: (lease: {
        jobId: string;
        lease: string;
    } & {
        attempt?: number;
    }) => string | null;
    startUploadAttempt: (next: {
        attempt: number;
        id: string;
        multipartId: string;
    } & {
        secret?: string | null;
    }) => ({
        attempt: number;
        contentType: string | null;
        createdAt: number;
        durationSeconds: number | null;
        expiresAt: number;
        filename: string;
        id: string;
        multipartId: string | null;
        sizeBytes: number;
        state: "pending" | "ready" | "removed";
    } & {
        keyId?: string | null;
        secret?: string | null;
    }) | null;
    summary: (identity: {
        endpoint: string;
        keyHash: string;
        needs: ("full key" | "import" | "manage" | "read" | "transcribe")[];
        rateClass: "general" | "import" | "status" | "transcribe";
    } & {
        origin?: string | null;
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "KEY_BUDGET_EXCEEDED" | "LAST_KEY" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SCOPE_MISSING" | "SERVICE_BUSY" | "SERVICE_UNAVAILABLE" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TOO_MANY_KEYS" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                accountId: string;
                available: number;
                balance: number;
                failedDeliveries: number;
                freeWork: {
                    bytesLeft: number;
                    engineSecondsLeft: number;
                    resetsAt: number;
                };
                held: number;
                limits: {
                    concurrentJobs: {
                        import: number;
                        transcription: number;
                    };
                    freeWork: {
                        bytesPerHour: number;
                        engineSecondsPerHour: number;
                    };
                    requestsPerHour: {
                        general: number;
                        import: number;
                        status: number;
                        transcribe: number;
                    };
                    uploadBytes: number;
                };
                name: string;
            } & {
                prices?: {
                    builtinPerMinute: number;
                    captions: number;
                    downloadPerMegabyte: number;
                    providerPerMinute: number;
                    speechMinimum: number;
                };
                retentionDays?: number;
            };
        };
    } & {
        allowsOrigin?: true;
    };
    upload: (identity: {
        endpoint: string;
        keyHash: string;
        needs: ("full key" | "import" | "manage" | "read" | "transcribe")[];
        rateClass: "general" | "import" | "status" | "transcribe";
    } & {
        origin?: string | null;
    }, id: string) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "KEY_BUDGET_EXCEEDED" | "LAST_KEY" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SCOPE_MISSING" | "SERVICE_BUSY" | "SERVICE_UNAVAILABLE" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TOO_MANY_KEYS" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                attempt: number;
                contentType: string | null;
                createdAt: number;
                durationSeconds: number | null;
                expiresAt: number;
                filename: string;
                id: string;
                multipartId: string | null;
                sizeBytes: number;
                state: "pending" | "ready" | "removed";
            } & {
                keyId?: string | null;
                secret?: string | null;
            };
        };
    } & {
        allowsOrigin?: true;
    };
    uploadToComplete: (identity: {
        endpoint: string;
        keyHash: string;
        needs: ("full key" | "import" | "manage" | "read" | "transcribe")[];
        rateClass: "general" | "import" | "status" | "transcribe";
    } & {
        origin?: string | null;
    }, id: string) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "KEY_BUDGET_EXCEEDED" | "LAST_KEY" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SCOPE_MISSING" | "SERVICE_BUSY" | "SERVICE_UNAVAILABLE" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TOO_MANY_KEYS" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                attempt: number;
                contentType: string | null;
                createdAt: number;
                durationSeconds: number | null;
                expiresAt: number;
                filename: string;
                id: string;
                multipartId: string | null;
                sizeBytes: number;
                state: "pending" | "ready" | "removed";
            } & {
                keyId?: string | null;
                secret?: string | null;
            };
        };
    } & {
        allowsOrigin?: true;
    };
    wake: () => void;
    webhookSecrets: (identity: {
        endpoint: string;
        keyHash: string;
        needs: ("full key" | "import" | "manage" | "read" | "transcribe")[];
        rateClass: "general" | "import" | "status" | "transcribe";
    } & {
        origin?: string | null;
    }) => {
        rate: {
            class: "general" | "import" | "status" | "transcribe";
            limit: number;
            remaining: number;
            reset: number;
        };
        result: {
            ok: false;
            refusal: {
                code: "ACCOUNT_SUSPENDED" | "BODY_TOO_LARGE" | "CONCURRENCY_LIMITED" | "FREE_WORK_LIMITED" | "IDEMPOTENCY_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "INSUFFICIENT_BALANCE" | "INTERNAL_ERROR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "KEY_BUDGET_EXCEEDED" | "LAST_KEY" | "MEDIA_EXPIRED" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "OPTION_UNSUPPORTED" | "ORIGIN_FORBIDDEN" | "PROVIDER_KEY_REQUIRED" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "SCOPE_MISSING" | "SERVICE_BUSY" | "SERVICE_UNAVAILABLE" | "SIGNATURE_INVALID" | "SOURCE_NOT_READY" | "SOURCE_UNREADABLE" | "SOURCE_UNSUPPORTED" | "STORAGE_CLOCK" | "STORAGE_CORRUPTED" | "STORAGE_DENIED" | "STORAGE_FULL" | "STORAGE_LIMITED" | "STORAGE_NOT_CONFIGURED" | "STORAGE_NO_BUCKET" | "STORAGE_REDIRECT" | "STORAGE_REFUSED" | "STORAGE_SIGNATURE" | "STORAGE_UNAVAILABLE" | "STORAGE_UNREACHABLE" | "TOO_MANY_KEYS" | "TRANSCRIPT_NOT_READY" | "UNAUTHORIZED" | "UNREACHABLE_URL" | "UNSUPPORTED_MEDIA_TYPE" | "UPLOAD_INCOMPLETE";
                facts: {
                    [x: string]: string | number | boolean | {
                        message: string;
                        path: string;
                    }[];
                };
                message: string;
            };
        } | {
            ok: true;
            value: {
                createdAt: number;
                expiresAt: number | null;
                seed: string;
            }[];
        };
    } & {
        allowsOrigin?: true;
    };
};
export declare const FleetObject: {
    add: (step: {
        accountId: string;
        diskBytes: number;
        jobId: string;
        leases: number;
        rank: "batch" | "job" | "probe";
        step: "audio" | "captions" | "fetch" | "recognize";
        work: "cpu" | "network";
    }) => void;
    cancel: (args_0: {
        attempt: number;
        jobId: string;
    }) => void;
    ended: (placeId: string) => void;
    engines: () => {
        engines: ({
            disk: {
                reservedBytes: number;
                totalBytes: number;
            };
            name: string;
            places: {
                cpu: {
                    taken: number;
                    total: number;
                };
                network: {
                    taken: number;
                    total: number;
                };
            };
            state: "draining" | "running" | "starting";
        } & {
            extractor?: {
                channel: string;
                problem: string | null;
                version: string | null;
            } | null;
        })[];
        waiting: Map<string, {
            count: number;
            oldestMs: number;
        }>;
    };
    extractors: () => {
        engines: {
            count: number;
            version: string;
        }[];
        lists: {
            usedSince: number;
            version: string;
        }[];
    };
    metrics: () => {
        engines: {
            draining: number;
            paused: number;
            running: number;
            starting: number;
            stopping: number;
            unfit: number;
        };
        places: {
            cpu: number;
            network: number;
        };
        placesTaken: {
            cpu: number;
            network: number;
        };
        starts: {
            counts: number[];
            totalMs: number;
        };
        waiting: Map<string, {
            count: number;
            oldestMs: number;
        }>;
    } & {
        extractors?: {
            channel: string;
            engines: number;
            problems: number;
            version: string;
        }[];
    };
    placeForProbe: (accountId: string, timeoutMs: number, step?: "list" | "probe" | undefined) => {
        engine: string;
        id: string;
    } | null;
    sites: (version: string) => {
        broken: string[];
        version: string;
        working: string[];
    } | null;
    tellsSpeakers: () => boolean | null;
    wake: () => void;
};
export declare const EngineObject: {
    launch: (timeoutMs?: number | undefined) => "failed" | "full" | "running" | "starting";
    shutDown: () => void;
    state: (timeoutMs: number) => ({
        diskBytes: number;
        places: {
            cpu: number;
            network: number;
        };
        running: ({
            attempt: number;
            diskBytes: number;
            jobId: string;
            step: string;
        } & {
            accountId?: string;
            placeId?: string;
        })[];
        status: "draining" | "ok" | "unfit";
    } & {
        extractor?: {
            channel: string;
            problem: string | null;
            version: string | null;
        };
        speakers?: boolean;
        uptimeMs?: number;
    }) | null;
};
export declare const MetricsObject: {
    count: (event: {
        kind: "webhook attempt";
        outcome: "delivered" | "failed" | "retried";
    } | {
        kind: "dead letter";
        queue: "steps-dead" | "webhooks-dead";
    } | {
        kind: "served";
        sizeBytes: number;
    }, deadWebhook: {
        accountId: string;
        attempts: number;
        deliveryId: string;
        failedAt: number;
        host: string;
        jobId: string;
        status: number | null;
        type: string;
    } | null) => void;
    deadWebhooks: () => {
        accountId: string;
        attempts: number;
        deliveryId: string;
        failedAt: number;
        host: string;
        jobId: string;
        status: number | null;
        type: string;
    }[];
    noteHeld: (note: {
        accountId: string;
        heldMicros: number;
        version: number;
    }) => void;
    outcomes: (fromHour: number, maxAgeMs?: number | undefined) => ({
        code: string;
        count: number;
        hour: number;
        kind: "import" | "transcription";
        outcome: "canceled" | "completed" | "failed";
        source: string;
    } & {
        version?: string;
    })[];
    overdueAccounts: (before: number, limit: number) => string[];
    report: (report: {
        accountId: string;
        ended: ({
            bytesIn: number;
            bytesOut: number;
            code: string;
            costMicros: number;
            host: string;
            jobId: string;
            kind: "import" | "transcription";
            number: number;
            outcome: "canceled" | "completed" | "failed";
            requestId: string | null;
            seconds: {} & {
                audio?: number;
                captions?: number;
                deliver?: number;
                fetch?: number;
                recognize?: number;
            };
            waitedSeconds: number;
        } & {
            version?: string;
        }) | null;
        heldMicros: number;
        totals: {
            bytesIn: number;
            bytesOut: number;
            chargedMicros: number;
            ended: {
                [x: string]: number;
            };
            ends: number;
            version: number;
        };
    } & {
        schemaVersion?: number;
        wakeAt?: number | null;
    }) => {
        isNewEnd: boolean;
    };
    sums: () => {
        bytesIn: number;
        bytesOut: number;
        chargedMicros: number;
        counters: {
            [x: string]: number;
        };
        ended: {
            [x: string]: number;
        };
        heldMicros: number;
    } & {
        schemaVersions?: {
            [x: string]: number;
        };
    };
};
export declare const messages: {
    batch: (message: {
        accountId: string;
        batchId: string;
        index: number | null;
        v: 1;
    }) => void;
    cleanup: (message: {
        accountId: string;
        leftBy: {
            jobId: string;
        };
        v: 1;
    }) => void;
    delivery: (message: {
        accountId: string;
        deliveryId: string;
        v: 1;
    }) => void;
    step: (message: {
        accountId: string;
        jobId: string;
        step: "audio" | "captions" | "deliver" | "fetch" | "recognize";
        v: 1;
    } & {
        diskBytes?: number;
        leases?: number;
        rank?: "batch";
    }) => void;
};
