"""Tables of the ledger. Identifiers are keyed pseudonyms (16 bytes) or ciphertext, never raw."""

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    TypeDecorator,
    UniqueConstraint,
)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Instant(TypeDecorator[datetime]):
    """An aware UTC datetime stored as integer microseconds: round trips exactly on any database."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        return None if value is None else (value - _EPOCH) // timedelta(microseconds=1)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        return None if value is None else _EPOCH + timedelta(microseconds=int(value))


metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

Id = String(40)
Word = String(40)


def _tenant() -> Column[str]:
    return Column("tenant_id", Id, nullable=False)


# -- tenants, credentials, keys ------------------------------------------------------------------

tenants = Table(
    "tenants",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", String(100), nullable=False, unique=True),
    Column("wrapped_secret", LargeBinary),  # null once destroyed: erases the tenant's scope
    Column("kek_epoch", Integer, nullable=False),
    Column("fingerprint", String(16)),
    Column("state", Word, nullable=False, default="active"),  # active | destroyed
    Column("created_at", Instant, nullable=False),
    Column("destroyed_at", Instant),
)

api_keys = Table(
    "api_keys",
    metadata,
    Column("id", Id, primary_key=True),
    Column("tenant_id", Id, nullable=True),
    Column("kind", Word, nullable=False),  # client | control
    Column("roles", JSON, nullable=False),
    Column("digest", LargeBinary, nullable=False, unique=True),
    Column("label", String(100), nullable=False, default=""),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant),
    Column("last_used_at", Instant),
    Column("revoked_at", Instant),
    Column("operations", JSON),  # read | write | delete; absent: all
    Column("purposes", JSON),  # that may be stated; absent: any
)

secrets = Table(
    "secrets",
    metadata,
    Column("name", Word, primary_key=True),
    Column("wrapped", LargeBinary, nullable=False),
    Column("kek_epoch", Integer, nullable=False),
)

kek_epochs = Table(
    "kek_epochs",
    metadata,
    Column("epoch", Integer, primary_key=True, autoincrement=False),
    Column("provider", Word, nullable=False),
    Column("key_ref", String(200), nullable=False),  # the provider's name of its key version
    Column("wrapped", LargeBinary),  # the epoch's key under the provider's; null once retired
    Column("state", Word, nullable=False),  # active | retired | destroyed
    Column("assurance", Word),  # local-kek | external-kek-trimmed | external-kek-pending
    Column("created_at", Instant, nullable=False),
    Column("retired_at", Instant),
    Column("destroyed_at", Instant),
    Column("final_at", Instant),  # when an external provider's pending deletion becomes final
)

deks = Table(
    "deks",
    metadata,
    Column("id", Id, primary_key=True),
    _tenant(),
    Column("purpose", Word, nullable=False),  # owner | entity | category | erasure | memory
    Column("ref", LargeBinary, nullable=False),
    Column("wrapped", LargeBinary),  # null once destroyed
    Column("kek_epoch", Integer, nullable=False),
    Column("fingerprint", String(16)),
    Column("created_at", Instant, nullable=False),
    Column("row_deleted_at", Instant),
    Column("key_epoch_destroyed_at", Instant),
    Index(None, "tenant_id", "purpose", "ref"),
    Index(None, "kek_epoch"),
)
Index(  # a record has at most one living key
    "uq_deks_living",
    deks.c.tenant_id,
    deks.c.purpose,
    deks.c.ref,
    unique=True,
    sqlite_where=deks.c.wrapped.is_not(None),
    postgresql_where=deks.c.wrapped.is_not(None),
)

# -- owners, writes, memories, provenance --------------------------------------------------------

owners = Table(
    "owners",
    metadata,
    Column("id", Id, primary_key=True),
    _tenant(),
    Column("kind", Word, nullable=False),  # user | agent | run | app
    Column("ref", LargeBinary, nullable=False),  # pseudonym of the client's id
    Column("upstream_ref", LargeBinary, nullable=False),  # pseudonym of the store's id
    Column("sealed_id", LargeBinary, nullable=False),  # the client's id under the owner's DEK
    Column("dek_id", Id, nullable=False),
    Column("state", Word, nullable=False, default="active"),  # active | erasing | erased
    Column("epoch", Integer, nullable=False, default=0),  # erasures raise it
    Column("created_at", Instant, nullable=False),
    Column("erased_at", Instant),
    UniqueConstraint("tenant_id", "kind", "ref"),
    Index(None, "tenant_id", "upstream_ref"),
)

writes = Table(
    "writes",
    metadata,
    Column("id", Id, primary_key=True),  # also the stamp in the store's metadata
    _tenant(),
    Column("upstream", Word, nullable=False),
    Column("state", Word, nullable=False),  # intended|pending|settled|failed|unknown|killed
    Column("event_ref", LargeBinary),
    Column("sealed_event", LargeBinary),
    Column("dek_id", Id),
    Column("plan", JSON, nullable=False),  # tier, expiry, categories: what settle records
    Column("policy_digest", String(80), nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("settled_at", Instant),
    Index(None, "state", "created_at"),
    Index(None, "tenant_id", "event_ref"),
)

write_owners = Table(
    "write_owners",
    metadata,
    Column("write_id", Id, nullable=False),
    Column("owner_id", Id, nullable=False),
    Column("owner_epoch", Integer, nullable=False, default=0),
    PrimaryKeyConstraint("write_id", "owner_id"),
    Index(None, "owner_id"),
)

write_entities = Table(
    "write_entities",
    metadata,
    Column("write_id", Id, nullable=False),
    Column("entity_id", Id, nullable=False),
    PrimaryKeyConstraint("write_id", "entity_id"),
    Index(None, "entity_id"),
)

memories = Table(
    "memories",
    metadata,
    Column("id", Id, primary_key=True),
    _tenant(),
    Column("upstream", Word, nullable=False),
    Column("ref", LargeBinary, nullable=False),  # pseudonym of the store's memory id
    Column("sealed_id", LargeBinary, nullable=False),
    Column("dek_id", Id, nullable=False),
    Column("write_id", Id),
    Column("origin", Word, nullable=False),  # write | update | adopted | swept
    Column("state", Word, nullable=False),  # live|quarantined|restricted|superseded|erasing|erased
    Column("tier", Word, nullable=False),
    Column("categories", JSON, nullable=False),
    Column("tags", JSON, nullable=False),
    Column("content_ref", LargeBinary),  # pseudonym of the stored text
    Column("policy_digest", String(80), nullable=False),
    Column("pinned", Boolean, nullable=False, default=False),
    Column("created_at", Instant, nullable=False),
    Column("updated_at", Instant),
    Column("expires_at", Instant),
    Column("prompt_at", Instant),
    Column("asked_at", Instant),  # since its subject was asked; before prompt_at: to be asked again
    Column("erased_at", Instant),
    UniqueConstraint("tenant_id", "upstream", "ref"),
    Index(None, "tenant_id", "state", "expires_at"),
    Index(None, "tenant_id", "state", "prompt_at"),
    Index(None, "write_id"),
)

memory_owners = Table(
    "memory_owners",
    metadata,
    Column("memory_id", Id, nullable=False),
    Column("owner_id", Id, nullable=False),
    PrimaryKeyConstraint("memory_id", "owner_id"),
    Index(None, "owner_id"),
)

memory_refs = Table(
    "memory_refs",
    metadata,
    _tenant(),
    Column("ref", LargeBinary, nullable=False),
    Column("memory_id", Id, nullable=False),
    PrimaryKeyConstraint("tenant_id", "ref", "memory_id"),
    Index(None, "memory_id"),
)

provenance = Table(
    "provenance",
    metadata,
    _tenant(),
    Column("memory_id", Id, nullable=False),  # the derived one
    Column("source_ref", LargeBinary, nullable=False),
    Column("contribution", Word, nullable=False),  # primary | context | inference
    Column("recorded_at", Instant, nullable=False),
    PrimaryKeyConstraint("memory_id", "source_ref"),
    Index(None, "tenant_id", "source_ref"),
)

# -- entities and the vault ----------------------------------------------------------------------

entities = Table(
    "entities",
    metadata,
    Column("id", Id, primary_key=True),
    _tenant(),
    Column("entity_type", Word, nullable=False),
    Column("code", Word, nullable=False),  # the stem of its tokens
    Column("canonical_key", LargeBinary),  # pseudonym of its canonical form; null once erased
    Column("sealed_name", LargeBinary),  # null once erased
    Column("dek_id", Id, nullable=False),
    Column("state", Word, nullable=False, default="active"),  # active | erasing | erased
    Column("epoch", Integer, nullable=False, default=0),
    Column("version", BigInteger, nullable=False, default=0),  # of the tenant's index, last change
    Column("created_at", Instant, nullable=False),
    Column("erased_at", Instant),
    Column("ended_by", Id),  # the erasure after which nothing mentioned it any more
    Index(None, "ended_by"),
    UniqueConstraint("tenant_id", "code"),
    Index(None, "tenant_id", "version"),
    UniqueConstraint("tenant_id", "entity_type", "canonical_key"),
)

entity_keys = Table(
    "entity_keys",
    metadata,
    _tenant(),
    Column("kind", Word, nullable=False),  # full | ord | tok | nick | ini | phon | alias
    Column("key", LargeBinary, nullable=False),
    Column("entity_id", Id, nullable=False),
    PrimaryKeyConstraint("tenant_id", "kind", "key", "entity_id"),
    Index(None, "entity_id"),
)

entity_owners = Table(
    "entity_owners",
    metadata,
    Column("entity_id", Id, nullable=False),
    Column("owner_id", Id, nullable=False),
    PrimaryKeyConstraint("entity_id", "owner_id"),
    Index(None, "owner_id"),
)

memory_entities = Table(
    "memory_entities",
    metadata,
    Column("memory_id", Id, nullable=False),
    Column("entity_id", Id, nullable=False),
    PrimaryKeyConstraint("memory_id", "entity_id"),
    Index(None, "entity_id"),
)

vault = Table(
    "vault",
    metadata,
    Column("id", Id, primary_key=True),
    _tenant(),
    Column("entity_id", Id, nullable=False),
    Column("form", Integer, nullable=False),  # 0 is the first surface form seen
    Column("surface_ref", LargeBinary, nullable=False),
    Column("sealed", LargeBinary, nullable=False),
    Column("dek_id", Id, nullable=False),
    UniqueConstraint("entity_id", "form"),
    UniqueConstraint("entity_id", "surface_ref"),
    Index(None, "tenant_id", "surface_ref"),
)

# -- rights --------------------------------------------------------------------------------------

preferences = Table(
    "preferences",
    metadata,
    Column("id", Id, primary_key=True),
    _tenant(),
    Column("subject_ref", LargeBinary, nullable=False),
    Column("kind", Word, nullable=False),  # maximum | category | entity | pin | consent | purpose
    Column("sealed", LargeBinary, nullable=False),
    Column("dek_id", Id, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("lifted_at", Instant),
    Index(None, "tenant_id", "subject_ref"),
)

holds = Table(
    "holds",
    metadata,
    Column("id", Id, primary_key=True),
    _tenant(),
    Column("memory_id", Id),
    Column("owner_id", Id),
    Column("kind", Word, nullable=False),  # hold | restriction
    Column("code", String(60), nullable=False),
    Column("actor", LargeBinary, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("review_at", Instant),
    Column("lifted_at", Instant),
    Index(None, "tenant_id", "memory_id"),
    Index(None, "tenant_id", "owner_id"),
)

blocklist = Table(
    "blocklist",
    metadata,
    Column("id", Id, primary_key=True),
    _tenant(),
    Column("kind", Word, nullable=False),  # owner | full | ord | tok | alias
    Column("key", LargeBinary, nullable=False),
    Column("group_id", Id, nullable=False),  # one blocked subject has several keys
    Column("owner_id", Id),  # null: in the whole tenant
    Column("erasure_id", Id),
    Column("created_at", Instant, nullable=False),
    Column("lifted_at", Instant),
    # Of the tenant's list since when it is in it; 0: added by a process of an older release.
    Column("version", BigInteger, nullable=False, server_default="0"),
    Index(None, "tenant_id", "kind", "key"),
    Index(None, "tenant_id", "version"),
    Index(None, "group_id"),
)

reviews = Table(
    "reviews",
    metadata,
    Column("id", Id, primary_key=True),
    _tenant(),
    Column("owner_id", Id),
    Column("reason", Word, nullable=False, server_default="requested"),  # requested | expiring
    Column("state", Word, nullable=False),
    Column("summary", JSON, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("due_at", Instant),
    Column("closed_at", Instant),
    Index(None, "owner_id", "state"),
    Index(None, "tenant_id", "state"),
)

notifications = Table(
    "notifications",
    metadata,
    Column("id", Id, primary_key=True),
    _tenant(),
    Column("erasure_id", Id),
    Column("owner_id", Id),
    Column("kind", Word, nullable=False),
    Column("state", Word, nullable=False),
    Column("attempts", Integer, nullable=False, default=0),
    Column("created_at", Instant, nullable=False),
    Column("sent_at", Instant),
    Column("review_id", Id, index=True),
)

# -- erasure -------------------------------------------------------------------------------------

erasures = Table(
    "erasures",
    metadata,
    Column("id", Id, primary_key=True),
    _tenant(),
    Column("reference", String(40), nullable=False),
    Column("state", Word, nullable=False),
    Column("origin", Word, nullable=False),  # control | client | sweeper | agent
    Column("target_kind", Word, nullable=False),
    Column("target_ref", LargeBinary),  # pseudonym of the whole target: one running at a time
    Column("sealed_request", LargeBinary),  # target and keep, under the erasure's DEK
    Column("dek_id", Id),
    Column("scope", Word, nullable=False),
    Column("reason", String(60)),
    Column("outcome", Word),  # nothing_found | erased | partial | held | out_of_reach …
    Column("details", JSON, nullable=False, default=dict),  # regime, ground, identity, exceptions
    Column("policy_digest", String(80)),
    Column("plan_digest", String(80)),
    Column("confirm_digest", LargeBinary),
    Column("confirm_expires_at", Instant),
    Column("counts", JSON, nullable=False),
    Column("layers", JSON, nullable=False),
    Column("candidates", JSON, nullable=False),
    Column("questions", JSON, nullable=False, default=list),
    Column("actor", LargeBinary, nullable=False),
    Column("received_at", Instant, nullable=False),
    Column("planned_at", Instant),
    Column("confirmed_at", Instant),
    Column("completed_at", Instant),
    Column("execute_at", Instant),  # end of the grace window
    Column("due_at", Instant, nullable=False),
    Column("extended_at", Instant),
    Column("certificate", LargeBinary),  # DSSE envelope
    Column("audit_entry", Id),
    UniqueConstraint("tenant_id", "reference"),
    Index(None, "tenant_id", "state"),
)

plan_items = Table(
    "plan_items",
    metadata,
    Column("erasure_id", Id, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("upstream", Word, nullable=False),
    Column("ref", LargeBinary, nullable=False),  # pseudonym of the memory id
    Column("sealed", LargeBinary),  # memory id, erased text digest inputs: under the erasure's DEK
    Column("memory_id", Id),
    Column("relation", Word, nullable=False),  # direct|derived|near_duplicate|summary|shared|mixed
    Column("action", Word, nullable=False),  # delete | redact | regenerate | hold | keep
    Column("state", Word, nullable=False),  # planned | done | verified | residual | held
    Column("reason", String(80)),
    Column("depth", Integer, nullable=False, default=0),  # provenance edges from a direct one
    PrimaryKeyConstraint("erasure_id", "seq"),
    Index(None, "erasure_id", "state"),
)

jobs = Table(
    "jobs",
    metadata,
    Column("id", Id, primary_key=True),
    _tenant(),
    Column("erasure_id", Id, ForeignKey("erasures.id"), nullable=False),
    Column("saga_version", Integer, nullable=False),
    Column("state", Word, nullable=False),  # ready | running | done | needs_operator
    Column("lease_owner", Id),
    Column("lease_until", Instant),
    Column("fence", Integer, nullable=False, default=0),
    Column("attempts", Integer, nullable=False, default=0),
    Column("run_after", Instant, nullable=False),
    Column("created_at", Instant, nullable=False),
    Index(None, "state", "run_after"),
)

steps = Table(
    "steps",
    metadata,
    Column("job_id", Id, nullable=False),
    Column("name", String(100), nullable=False),
    Column("result", JSON, nullable=False),
    Column("fence", Integer, nullable=False),
    Column("completed_at", Instant, nullable=False),
    PrimaryKeyConstraint("job_id", "name"),
)

tombstones = Table(
    "tombstones",
    metadata,
    Column("id", Id, primary_key=True),
    _tenant(),
    Column("upstream", Word, nullable=False),
    Column("ref", LargeBinary, nullable=False),
    Column("content_ref", LargeBinary),
    Column("erasure_id", Id, nullable=False),
    Column("deleted_at", Instant, nullable=False),
    UniqueConstraint("tenant_id", "upstream", "ref"),
    Index(None, "erasure_id"),
    Index(None, "tenant_id", "content_ref"),
)

counters = Table(
    "counters",
    metadata,
    Column("name", String(80), primary_key=True),
    Column("value", BigInteger, nullable=False),
)

# -- audit ---------------------------------------------------------------------------------------

audit_entries = Table(
    "audit_entries",
    metadata,
    Column("id", Id, primary_key=True),
    Column("tenant_id", Id),
    Column("leaf_index", BigInteger, unique=True),  # null until the sequencer assigns it
    Column("leaf", LargeBinary, nullable=False),  # canonical JSON, content-free
    Column("recorded_at", Instant, nullable=False),
    # As the leaf has them, to be looked up; no event: added by a process of an older release.
    Column("event", String(80), nullable=False, server_default=""),
    Column("actor", String(200)),
    Index(None, "tenant_id", "leaf_index"),
    Index(None, "event", "leaf_index"),
    Index(None, "actor", "leaf_index"),
    Index(None, "recorded_at", "leaf_index"),
)

audit_nodes = Table(
    "audit_nodes",
    metadata,
    Column("level", Integer, nullable=False),
    Column("position", BigInteger, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    PrimaryKeyConstraint("level", "position"),
)

checkpoints = Table(
    "checkpoints",
    metadata,
    Column("size", BigInteger, primary_key=True, autoincrement=False),
    Column("root", LargeBinary, nullable=False),
    Column("note", LargeBinary, nullable=False),
    Column("signed_at", Instant, nullable=False),
)
