import { edit, type SamplePart } from "./sample-file.ts";

const INVOICE = String.raw`"""Invoices for delivered parcels. Amounts are whole cents."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    text: str
    cents: int


def total(lines: list[Line]) -> int:
    """Sum of an invoice in cents."""
    return sum(line.cents for line in lines)


def with_tax(cents: int, percent: int) -> int:
    """Adds a whole-number tax rate, rounded half up."""
    return cents + (cents * percent + 50) // 100
`;

const TEST_INVOICE = String.raw`import pytest

from billing.invoice import Line, total, with_tax


def test_total_of_nothing():
    assert total([]) == 0


def test_total():
    assert total([Line("box", 450), Line("stamp", 50)]) == 500


@pytest.mark.parametrize("cents,expected", [(100, 119), (0, 0), (50, 60)])
def test_with_tax(cents, expected):
    assert with_tax(cents, 19) == expected
`;

const PAYMENTS = String.raw`"""Talks to the payment provider."""

import os

ENDPOINT = "https://payments.example.org/v2"


def credentials() -> str:
    """Token of this service. Never an example like AKIAIOSFODNN7EXAMPLE."""
    return os.environ["PAYMENTS_TOKEN"]
`;

/** Shaped like a live token and worth nothing; put together here, so that our own source holds none. */
function madeUpToken(): string {
	return ["gh", "p_", "k7Rw2VtQ9mXz", "4LbN8sYc1HdJ", "6PgF3uKe5ToA"].join("");
}

export function pythonPart(): SamplePart {
	return {
		files: [
			{ path: "billing/__init__.py", base: "", head: "" },
			{
				path: "billing/invoice.py",
				base: INVOICE,
				head: `${INVOICE}

def merge(invoices: list[list[Line]], into: list[Line] = []) -> list[Line]:
    """Puts several invoices of one customer together."""
    for lines in invoices:
        into.extend(lines)
    return into
`,
			},
			{
				path: "billing/test_invoice.py",
				base: TEST_INVOICE,
				head: edit(
					TEST_INVOICE,
					["def test_total():\n", '@pytest.mark.skip(reason="wait for the new invoice format")\ndef test_total():\n'],
					[
						"def test_total_of_nothing():\n",
						'def test_names_of_marks():\n    # @pytest.mark.skip stands here as text only\n    assert "@pytest.mark.skip" != "@pytest.mark.skipif"\n\n\ndef test_total_of_nothing():\n',
					],
				),
			},
			{
				path: "billing/payments.py",
				base: PAYMENTS,
				head: edit(PAYMENTS, [
					"\n\ndef credentials()",
					`\nDEPLOY_TOKEN = "${madeUpToken()}"\nEXAMPLE_KEY_ID = "AKIAIOSFODNN7EXAMPLE"\n\n\ndef credentials()`,
				]),
			},
		],
		defects: [
			{
				path: "billing/payments.py",
				on: "DEPLOY_TOKEN",
				kind: "secret",
				rule: "secret/github",
				offline: true,
				why: "A token stands in the source.",
			},
			{
				path: "billing/test_invoice.py",
				on: "@pytest.mark.skip(reason",
				kind: "skipped-test",
				rule: "skipped-test/python",
				offline: true,
				why: "The test of the sum is switched off.",
			},
			{
				path: "billing/invoice.py",
				on: "into: list[Line] = []",
				kind: "bug",
				rule: "model",
				offline: false,
				why: "The default list is shared between calls, so that one customer's lines end up on the next invoice.",
			},
		],
	};
}
