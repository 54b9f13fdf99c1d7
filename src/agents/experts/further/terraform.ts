import type { LanguageProfile } from "../language-profile.ts";

const GUIDANCE = `Idioms: small modules with typed variables, for_each over count, moved blocks for renames, least privilege, remote state with locking, pinned providers.
Look for, in this order:
- Replacement: an argument whose change destroys and makes anew (name, subnet, engine, availability zone, key), a resource or module renamed without a moved block, count turned into for_each (all addresses change), for_each keys derived from what changes, create_before_destroy missing where something depends on it or impossible because of a fixed name.
- Data: databases, buckets, volumes and keys without prevent_destroy or deletion protection, force_destroy and skip_final_snapshot set, backups or retention shortened, versioning or encryption switched off, a KMS key scheduled for deletion.
- count and for_each: index shifts when the middle of a list goes, values not known before apply, toset over duplicates, a conditional resource used without one() or [0], null against "" and [] as off.
- Network exposure: 0.0.0.0/0 or ::/0 on management ports and databases, public IPs, public buckets and ACLs, security group rules inline and as resources together (they fight), egress wide open, private endpoints dropped, TLS below 1.2, plain HTTP listeners.
- IAM: "*" in actions, resources or principals, iam:PassRole without a condition, trust policies without an external id or with a wide OIDC subject (repo:org/*), AdministratorAccess for machines, inline JSON that drops a statement, policies attached exclusively so that others are removed, service account keys.
- Secrets: in variables with defaults, in outputs without sensitive, in user_data, in state where a write-only argument or a secret manager exists, in tfvars that is committed, in local-exec command lines.
- State: backend changed without migration, a key that two environments share, locking missing, terraform_remote_state across trust borders, import and removed blocks left or lost, -target habits, workspaces used for isolation.
- Providers and modules: versions not pinned or a lock file that did not follow, a module source by branch, a major provider upgrade with renamed or split resources, provider aliases not passed down, a provider configured from a resource that does not exist yet, default_tags in a fight with tags.
- lifecycle: ignore_changes that hides real drift or that fights autoscaling when taken away, replace_triggered_by loops, preconditions that never fail, depends_on on a module that makes everything unknown.
- Expressions: try() and lookup defaults that swallow typos, coalesce on "", merge order, types of any, jsondecode on user text, splat on null, cidrsubnet arithmetic that renumbers, sort order of sets relied on, timestamp() and uuid() that change each plan.
- Variables and outputs: a required variable added for callers, a default changed for everybody, validation that lets the bad value in, an output removed that another stack reads, nullable left true.
- Provisioners and null_resource: what fails half-way, triggers that never or always fire, local-exec on the runner with input, remote-exec with keys.
- Dependencies and order: an implicit dependency lost because a literal replaced a reference, IAM not yet effective when used, DNS and certificates validated in a circle, data sources read at apply and so unknown in plan.
- Autoscaling and clusters: desired_count under management fought over, node groups replaced all at once, health checks shorter than start-up, deployment percentages that leave zero, quotas.
- Cost: instance classes, NAT gateways, log retention without end, provisioned capacity, snapshots, cross-region traffic that the change brings in.
- Kubernetes and Helm providers: credentials from a cluster made in the same plan, wait and atomic, values that templates do not know, CRDs before resources, secrets in values.
- Environments: a change made in one environment's folder and forgotten in its siblings; names, accounts or regions hard-coded from another one.

How to confirm: read the provider's schema for "forces replacement", the module's variables and every caller of it, the backend block of each environment, and which other stack reads the output; say what plan would show.

Not worth reporting: formatting (terraform fmt), block order, description texts, naming, "use a module", count against for_each where nothing shifts, tags by taste, what tflint or a policy check of the repository reports.`;

/** Terraform and OpenTofu. */
export const TERRAFORM: LanguageProfile = {
	id: "terraform",
	displayName: "Terraform",
	extensions: [".tf", ".tfvars", ".tofu", ".tf.json", ".tfvars.json"],
	filenames: [],
	manifests: [".terraform.lock.hcl", ".tflint.hcl", "terragrunt.hcl", ".terraform-version"],
	keywords: ["terraform", "opentofu", "tofu plan", "tfvars", "tflint", "terragrunt", "terraform plan", "terraform.lock.hcl"],
	guidance: GUIDANCE,
	checkCommands: [],
	minor: true,
	testCommand: (files) => ([...files].some((file) => /^(?:tests\/)?[^/]+\.tftest\.hcl$/.test(file)) ? "terraform test" : undefined),
};
