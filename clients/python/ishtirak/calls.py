"""The calls about a user: one method each, named as in the JavaScript client."""

from typing import Any, Dict, List, Optional

_Answer = Dict[str, Any]
#: The service answers a purchase within 6 seconds, and there may be two attempts.
_PURCHASE = {"seconds": 14.0}
#: The first PDF after a start loads the fonts.
_FILE = {"seconds": 10.0, "is_file": True}

class UserCalls:
    """`fields` are those of the API's request. A field that is None is sent as null."""

    def _ask(self, method: str, path: str, ids: List[str], given: Any = None, **how: Any) -> Any:
        raise NotImplementedError

    def consume(
        self,
        user_id: str,
        limit: str,
        operation_id: str,
        amount: int = 1,
        project_id: Optional[str] = None,
        scope_id: Optional[str] = None,
    ) -> _Answer:
        """
        Whether the user may: `allowed`, `limit`, `used`, `remaining`, `resets_at`, `reason`.
        A no is an answer. The same `operation_id` counts once.
        """
        given = _given(operation_id=operation_id, amount=amount, project_id=project_id, scope_id=scope_id)
        return self._ask("POST", "/{}/limits/{}/consume", [user_id, limit], given)

    def release(
        self,
        user_id: str,
        limit: str,
        operation_id: str,
        amount: Optional[int] = None,
        consume_operation_id: Optional[str] = None,
        project_id: Optional[str] = None,
        scope_id: Optional[str] = None,
    ) -> _Answer:
        """Gives back what `consume_operation_id` or `operation_id` consumed, or `amount` of the use."""
        given = _given(
            operation_id=operation_id,
            amount=amount,
            consume_operation_id=consume_operation_id,
            project_id=project_id,
            scope_id=scope_id,
        )
        return self._ask("POST", "/{}/limits/{}/release", [user_id, limit], given)

    def report_usage(self, user_id: str, limit: str, used: int, **fields: Any) -> _Answer:
        """Sets what is in use now: with `project_id` or `scope_id` if the limit is counted for each."""
        return self._ask("PUT", "/{}/limits/{}/usage", [user_id, limit], {"used": used, **fields})

    def user(self, user_id: str) -> _Answer:
        """Plan, status, end of the paid time, limits and usage."""
        return self._ask("GET", "/{}", [user_id])

    def update_user(self, user_id: str, **fields: Any) -> _Answer:
        """Sets the profile: `email`, `name`, `locale`. None clears a field, and an absent field stays."""
        return self._ask("PUT", "/{}", [user_id], fields)

    def status(self, user_id: str) -> _Answer:
        return self._ask("GET", "/{}/status", [user_id])

    def overview(self, user_id: str) -> _Answer:
        """Plan, limits, usage, the renewal, the open checkout, and all time that was paid or granted."""
        return self._ask("GET", "/{}/overview", [user_id])

    def open_portal(self, user_id: str, return_path: Optional[str] = None) -> _Answer:
        """A link into the portal, `url`, that works once until `expires_at`: send the user there at once."""
        return self._ask("POST", "/{}/portal-sessions", [user_id], _given(return_path=return_path))

    def upgrade(self, user_id: str, plan: str) -> _Answer:
        """
        A month of the plan, or its renewal: send the user to `checkout_url`. A repetition returns the
        same payment. Raises `Refused` with `already_subscribed` before the renewal window.
        """
        return self._ask("POST", "/{}/upgrade", [user_id], {"plan": plan}, **_PURCHASE)

    def quote(self, user_id: str, plan: str, **fields: Any) -> _Answer:
        """What a payment would buy and cost now: with `months`, `start`, `code`."""
        return self._ask("GET", "/{}/quote", [user_id], {"plan": plan, **fields})

    def create_payment(self, user_id: str, plan: str, **fields: Any) -> _Answer:
        """Any term, or a dearer plan: with `months`, `start`, `code`, `method`, `return_url`, `po_number`."""
        return self._ask("POST", "/{}/payments", [user_id], {"plan": plan, **fields}, **_PURCHASE)

    def payments(self, user_id: str, **fields: Any) -> _Answer:
        """A page, newest first: with `limit`, `cursor`, `status`."""
        return self._ask("GET", "/{}/payments", [user_id], fields)

    def payment(self, user_id: str, payment_id: str) -> _Answer:
        return self._ask("GET", "/{}/payments/{}", [user_id, payment_id])

    def set_metadata(self, user_id: str, payment_id: str, metadata: Dict[str, str]) -> _Answer:
        """Replaces what the platform notes at a payment: at most 20 names of 40 characters, with texts of 500."""
        return self._ask("PUT", "/{}/payments/{}/metadata", [user_id, payment_id], {"metadata": metadata})

    def receipt(self, user_id: str, payment_id: str, **fields: Any) -> bytes:
        """A page of PDF, in `lang`."""
        return self._ask("GET", "/{}/payments/{}/receipt", [user_id, payment_id], fields, **_FILE)

    def invoice(self, user_id: str, payment_id: str) -> _Answer:
        """The invoice of a payment. It is issued if there is none."""
        return self._ask("POST", "/{}/payments/{}/invoice", [user_id, payment_id])

    def documents_of(self, user_id: str, payment_id: str) -> List[_Answer]:
        """The receipt, invoices and credit notes of a payment, oldest first."""
        return self._ask("GET", "/{}/payments/{}/documents", [user_id, payment_id], part="documents")

    def document(self, user_id: str, payment_id: str, number: str, **fields: Any) -> bytes:
        """A page of PDF, in `lang`."""
        ids = [user_id, payment_id, number]
        return self._ask("GET", "/{}/payments/{}/documents/{}", ids, fields, **_FILE)

    def documents(self, user_id: str, year: int, **fields: Any) -> bytes:
        """The receipts and invoices of a year, as CSV in `lang`."""
        return self._ask("GET", "/{}/documents", [user_id], {"year": year, **fields}, **_FILE)

    def upload_proof(self, user_id: str, payment_id: str, file: bytes) -> _Answer:
        """Shows a transfer: a JPEG, PNG or PDF of at most 8 MiB."""
        return self._ask("PUT", "/{}/payments/{}/proof", [user_id, payment_id], file, seconds=70.0)

    def proforma(self, user_id: str, plan: str, **fields: Any) -> bytes:
        """A page of PDF whose price holds: with `months`, `start`, `po_number`, `lang`."""
        return self._ask("GET", "/{}/proforma", [user_id], {"plan": plan, **fields}, **_FILE)

    def proformas(self, user_id: str) -> List[_Answer]:
        """Those whose price holds and that are not paid, newest first."""
        return self._ask("GET", "/{}/proformas", [user_id], part="proformas")

    def print_proforma(self, user_id: str, number: str, **fields: Any) -> bytes:
        """A page of PDF, in `lang`."""
        return self._ask("GET", "/{}/proformas/{}", [user_id, number], fields, **_FILE)

    def order_proforma(self, user_id: str, number: str) -> _Answer:
        """A transfer at the price of the proforma."""
        return self._ask("POST", "/{}/proformas/{}/payments", [user_id, number])

    def buyer(self, user_id: str) -> _Answer:
        """What an invoice names of the buyer, and what it lacks."""
        return self._ask("GET", "/{}/buyer", [user_id])

    def set_buyer(self, user_id: str, **fields: Any) -> _Answer:
        """Replaces all details of the buyer."""
        return self._ask("PUT", "/{}/buyer", [user_id], fields)

    def start_trial(self, user_id: str, plan: str) -> _Answer:
        """The days of the plan's trial, once. A second trial is `Refused` with `conflict`."""
        return self._ask("POST", "/{}/trial", [user_id], {"plan": plan}, once=True)

    def redeem(self, user_id: str, code: str, **fields: Any) -> _Answer:
        """A code that gives months, or, with `plan` and `months`, one that leaves nothing to pay."""
        # A wrong code that is sent twice counts twice.
        return self._ask("POST", "/{}/redeem", [user_id], {"code": code, **fields}, seconds=7.0, once=True)

    def redemptions(self, user_id: str) -> _Answer:
        return self._ask("GET", "/{}/redemptions", [user_id])

    def balance(self, user_id: str, **fields: Any) -> _Answer:
        """The balance, its standing order, and a page of its changes: with `limit`, `cursor`."""
        return self._ask("GET", "/{}/balance", [user_id], fields)

    def top_up_balance(self, user_id: str, amount: int, **fields: Any) -> _Answer:
        """Adds to the balance: with `method`, `return_url`. Send the user to `checkout_url`."""
        return self._ask("POST", "/{}/balance/top-ups", [user_id], {"amount": amount, **fields}, **_PURCHASE)

    def set_renewal(self, user_id: str, plan: str, **fields: Any) -> _Answer:
        """What the balance buys whenever the paid time ends: with `months`."""
        return self._ask("PUT", "/{}/balance/renewal", [user_id], {"plan": plan, **fields})

    def end_renewal(self, user_id: str) -> _Answer:
        """Ends the standing order. The balance stays."""
        return self._ask("DELETE", "/{}/balance/renewal", [user_id])

def _given(**fields: Any) -> Dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
