/**
 * Names that Go source declares. An embedded field is declared under its type's name. The grammar marks only the first
 * name of a constant list, so constants are found by their place: values stand one level deeper.
 */
export const GO_DECLARATIONS = `
(package_clause (package_identifier) @package)
(import_spec name: (package_identifier) @import)
(function_declaration name: (identifier) @function)
(method_declaration name: (field_identifier) @method)
(method_elem name: (field_identifier) @method)
(type_spec name: (type_identifier) @type)
(type_alias name: (type_identifier) @type)
(type_parameter_declaration name: (identifier) @typeParameter)
(field_declaration name: (field_identifier) @field)
(field_declaration !name type: (type_identifier) @field)
(field_declaration !name type: (qualified_type name: (type_identifier) @field))
(field_declaration !name type: (generic_type type: (type_identifier) @field))
(const_spec (identifier) @constant)
(var_spec name: (identifier) @variable)
(parameter_declaration name: (identifier) @parameter)
(variadic_parameter_declaration name: (identifier) @parameter)
(short_var_declaration left: (expression_list (identifier) @variable))
(range_clause left: (expression_list (identifier) @variable) ":=")
(receive_statement left: (expression_list (identifier) @variable) ":=")
(type_switch_statement alias: (expression_list (identifier) @variable))
(labeled_statement label: (label_name) @label)
`;
