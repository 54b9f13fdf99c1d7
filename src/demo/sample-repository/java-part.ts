import { edit, type SamplePart } from "./sample-file.ts";

const MAIN = "ledger/src/main/java/org/example/ledger/Account.java";
const TEST = "ledger/src/test/java/org/example/ledger/AccountTest.java";

const ACCOUNT = String.raw`package org.example.ledger;

/** One customer's account; amounts are whole cents. */
public final class Account {
    private final String id;
    private long cents;

    public Account(String id) {
        this.id = id;
    }

    public String id() {
        return id;
    }

    public synchronized void deposit(long amount) {
        if (amount <= 0) {
            throw new IllegalArgumentException("amount must be positive");
        }
        cents += amount;
    }

    public synchronized boolean withdraw(long amount) {
        if (amount <= 0 || amount > cents) {
            return false;
        }
        cents -= amount;
        return true;
    }

    public synchronized long balance() {
        return cents;
    }

    public boolean belongsTo(String customer) {
        return id.equals(customer);
    }
}
`;

const ACCOUNT_TEST = String.raw`package org.example.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;

class AccountTest {
    @Test
    void depositsAddUp() {
        var account = new Account("a-1");
        account.deposit(250);
        account.deposit(50);
        assertEquals(300, account.balance());
    }

    @Test
    void cannotOverdraw() {
        var account = new Account("a-1");
        account.deposit(100);
        assertFalse(account.withdraw(101));
    }

    @Disabled("needs the archive")
    @Test
    void readsArchivedAccounts() {
        assertEquals(0, new Account("a-0").balance());
    }
}
`;

const [OURS, MIDDLE, THEIRS] = ["<", "=", ">"].map((mark) => mark.repeat(7));

export function javaPart(): SamplePart {
	return {
		files: [
			{
				path: MAIN,
				base: ACCOUNT,
				head: edit(
					ACCOUNT,
					[
						"        if (amount <= 0 || amount > cents) {\n",
						`${OURS} HEAD\n        if (amount <= 0 || amount > cents) {\n${MIDDLE}\n        if (amount < 1 || amount > available()) {\n${THEIRS} overdraft\n`,
					],
					["return id.equals(customer);", "return id == customer;"],
				),
			},
			{
				path: TEST,
				base: ACCOUNT_TEST,
				head: edit(
					ACCOUNT_TEST,
					["    @Test\n    void cannotOverdraw() {", '    @Disabled("overdraft is coming")\n    @Test\n    void cannotOverdraw() {'],
					// An old mark that only moved is not this change's doing.
					['    @Disabled("needs the archive")\n', '    @Disabled("needs the archive of 2019")\n'],
				),
			},
		],
		defects: [
			{
				path: MAIN,
				on: `${OURS} HEAD`,
				kind: "conflict-marker",
				rule: "conflict-marker",
				offline: true,
				why: "Both sides of a merge conflict were committed.",
			},
			{
				path: TEST,
				on: "overdraft is coming",
				kind: "skipped-test",
				rule: "skipped-test/java",
				offline: true,
				why: "The test that guards against overdrawing is switched off.",
			},
			{
				path: MAIN,
				on: "return id == customer;",
				kind: "bug",
				rule: "model",
				offline: false,
				why: "Compares references: equal names that come from a request are not found.",
			},
		],
	};
}
