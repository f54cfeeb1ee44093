"""The words telemetry may use: which keys a log line may carry."""

ALLOWED_KEYS = frozenset(
    {
        "event", "level", "logger", "timestamp",
        "request_id", "trace_id", "span_id", "tenant_id",
        "operation", "upstream", "route", "method", "status", "decision", "slug", "tier",
        "policy_digest", "rules", "entity_types", "action",
        "erasure_id", "reference", "state", "origin", "target_kind", "layer", "outcome", "attempt",
        "job_id", "step", "write_id", "key_epoch", "provider", "assurance",
        "line", "column",
        "count", "found", "erased", "residual", "remaining", "size", "bytes", "queue", "workers",
        "seconds", "retry_after", "deadline",
        "error_class", "error_at", "component", "task", "reason_code", "role", "kind",
        "host", "port", "version", "pid", "signal",
    }
)  # fmt: skip
