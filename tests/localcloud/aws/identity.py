"""Who is calling: from an access key to an IAM principal, as STS answers it."""

from dataclasses import dataclass

from moto.iam.models import iam_backends
from moto.sts.models import sts_backends

PARTITION = "aws"


@dataclass(frozen=True)
class Caller:
    """The owner of an access key."""

    principal_arn: str
    """ARN of the user or the role, as access entries name it."""
    session_name: str
    """Name of the role's session, "" for a user."""
    user_id: str
    secret_access_key: str


def find_caller(account_id: str, access_key_id: str) -> Caller | None:
    """The owner of an access key that IAM or STS of this cloud issued, else None."""
    session = sts_backends[account_id][PARTITION].get_assumed_role_from_access_key(access_key_id)
    if session:
        return Caller(
            session.role_arn, session.session_name, session.user_id, session.secret_access_key
        )
    user = iam_backends[account_id][PARTITION].get_user_from_access_key_id(access_key_id)
    if user:
        key = next(k for k in user.access_keys if k.access_key_id == access_key_id)
        return Caller(user.arn, "", user.id, key.secret_access_key)
    return None


def principal_exists(account_id: str, arn: str) -> bool:
    """Whether the ARN is that of a user or a role of this account."""
    backend = iam_backends[account_id][PARTITION]
    known = [role.arn for role in backend.get_roles()]
    known += [user.arn for user in backend.users.values()]
    return arn in known
