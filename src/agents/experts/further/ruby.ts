import type { LanguageProfile } from "../language-profile.ts";

const GUIDANCE = `Idioms: blocks and Enumerable, duck types with clear contracts, frozen constants, ActiveRecord scopes, strong parameters, RSpec or Minitest.
Look for, in this order:
- nil: a result of find_by, first, dig, [] or a regular expression's match used unchecked; &. that turns a missing value into a silent no-op; || where false is a valid value; present?/blank? against nil? and zero.
- Exceptions: rescue without a class or rescue Exception, rescue => e that turns failure into nil, ensure with return, retry without a bound, raise inside ensure that hides the first, Timeout.timeout around code that must not stop midway.
- ActiveRecord queries: N+1 (includes, preload), find_each against all.each, count, size, length and present? that each query, where with a string and interpolation, order or pluck with input, default_scope surprises, unscoped that drops tenancy, update_all and delete_all that skip callbacks and validations, exists? in a loop.
- ActiveRecord writes: save and update whose false nobody looks at (save!, update!), a validation of uniqueness without a unique index, find_or_create_by races, callbacks that call out or enqueue before commit (after_commit), touch and counter caches, dependent missing, transactions that swallow ActiveRecord::Rollback or nest without requires_new.
- Migrations: a column removed while the running code still reads it (ignored_columns first), an index without algorithm: :concurrently on a large table, null: false or a default on a large table, a data migration that uses application models, change that cannot be reversed, schema.rb or structure.sql that does not match.
- Controllers: params permitted too widely (permit!, nested hashes), an action without the before_action that its siblings have, a record looked up without the current user's scope, redirect_to with input, render inline, skip_before_action for authenticity tokens, head and render both reached.
- Views: html_safe and raw with input, link_to with a javascript: address, translations with _html, caching keys that leave out who looks.
- Jobs: arguments that are records or symbols that do not survive serialisation, jobs that are not idempotent under retry, enqueue inside a transaction, perform_now by mistake, unbounded retries.
- Security: eval, send, public_send, constantize and const_get with input; system, backticks and open with input (Kernel#open runs "|cmd"); YAML.load, Marshal.load; ^ and $ instead of \\A and \\z; secrets compared with ==; path joins with input; mass assignment through update(params).
- Mutability: << on an argument, a constant or a shared default (def m(x = {}), Hash.new([])), gsub! and map! whose nil is used, freeze that is shallow, class variables @@ shared by subclasses, memoisation with ||= where nil or false is a result or where threads share the object.
- Threads (Puma, Sidekiq): class-level state, Thread.current leftovers between requests, a connection used outside with_connection, ENV or Time.zone changed for all.
- Blocks and procs: return in a proc that leaves the method, next against break, a block that is never called, lazy enumerators never forced, each_with_object against inject with a mutated accumulator, sort_by with mixed types or nil.
- Keyword arguments: the split of Ruby 3 (hash as the last argument), **opts passed on and losing blocks or defaults, delegate_missing_to, method_missing without respond_to_missing?, alias chains and prepend order, monkey patches of core classes.
- Time and numbers: Time.now against Time.current, Date.today, parse without a zone, integer division, Float for money, round half even, days added across a change of clock.
- Gems: a Gemfile change without its lock, a version pinned too loosely, a gem in the wrong group so that production lacks it, require: false without a require, a git source by branch, required_ruby_version below the syntax in use.
- Tests: let evaluated lazily so that nothing is there, let! order, allow_any_instance_of, doubles that are not verifying, travel_to left on, expect { } without a matcher, factories that build too much, focus: true, feature specs that sleep, transactions that hide after_commit.

How to confirm: find the definition of the method on the object's real class (concerns and delegation, too), read schema.rb for nullability and indexes, the callers for what they pass, config for the Rails version and load_defaults.

Not worth reporting: RuboCop's layout, style and metrics, string quotes, guard clauses by taste, missing documentation, "use a service object", hash syntax, frozen_string_literal comments.`;

/** Ruby. */
export const RUBY: LanguageProfile = {
	id: "ruby",
	displayName: "Ruby",
	extensions: [".rb", ".rake", ".gemspec", ".ru", ".erb", ".haml", ".slim"],
	filenames: ["Rakefile", "Guardfile", "Capfile", "Fastfile", "Podfile"],
	manifests: ["Gemfile", "Gemfile.lock", ".rubocop.yml", ".ruby-version", ".rspec"],
	keywords: ["ruby", "rubygems", "gemfile", "bundler", "rspec", "minitest", "activerecord", "rubocop", "sidekiq", "ruby on rails"],
	guidance: GUIDANCE,
	checkCommands: [],
	testCommand: (files) => {
		const names = [...files];
		const bundled = files.has("Gemfile") ? "bundle exec " : "";
		if (files.has(".rspec") || names.some((file) => /^spec\/.*_spec\.rb$/.test(file))) return `${bundled}rspec`;
		if (files.has("bin/rails") && names.some((file) => /^test\/.*_test\.rb$/.test(file))) return "bin/rails test";
		return files.has("Rakefile") ? `${bundled}rake test` : undefined;
	},
};
