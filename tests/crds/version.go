package crds

import (
	"context"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	metavalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
)

// version is one served version of a definition, with everything that an API
// server makes of its schema.
type version struct {
	namespaced bool
	hasStatus  bool // status is written by the controller alone
	schema     *structural.Structural
	fields     validation.SchemaValidator
	rules      *cel.Validator // nil without rules
}

func newVersion(spec *apiextensionsv1.CustomResourceDefinitionSpec, v apiextensionsv1.CustomResourceDefinitionVersion) (*version, error) {
	var props apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v.Schema.OpenAPIV3Schema, &props, nil); err != nil {
		return nil, err
	}
	s, err := structural.NewStructural(&props)
	if err != nil {
		return nil, err
	}
	fields, _, err := validation.NewSchemaValidator(&props)
	if err != nil {
		return nil, err
	}
	return &version{
		namespaced: spec.Scope == apiextensionsv1.NamespaceScoped,
		hasStatus:  v.Subresources != nil && v.Subresources.Status != nil,
		schema:     s, fields: fields, rules: cel.NewValidator(s, true, celconfig.PerCallLimit),
	}, nil
}

// validate returns what is wrong with a new object, in the order of an API
// server.
func (v *version) validate(object map[string]any, meta *metav1.ObjectMeta) field.ErrorList {
	errs := metavalidation.ValidateObjectMeta(meta, v.namespaced, metavalidation.NameIsDNSSubdomain, field.NewPath("metadata"))
	errs = append(errs, validation.ValidateCustomResource(nil, object, v.fields)...)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, v.schema, object)...)
	return append(errs, v.validateRules(errs, object, nil)...)
}

// validateUpdate returns what is wrong with the new form of an object. What was
// wrong already and stays as it is, is let through.
func (v *version) validateUpdate(object, old map[string]any, meta *metav1.ObjectMeta) field.ErrorList {
	pair := common.NewCorrelatedObject(object, old, &model.Structural{Structural: v.schema})
	errs := metavalidation.ValidateObjectMeta(meta, v.namespaced, metavalidation.NameIsDNSSubdomain, field.NewPath("metadata"))
	errs = append(errs, validation.ValidateCustomResourceUpdate(nil, object, old, v.fields, validation.WithRatcheting(pair))...)
	if len(listtype.ValidateListSetsAndMaps(nil, v.schema, old)) == 0 {
		errs = append(errs, listtype.ValidateListSetsAndMaps(nil, v.schema, object)...)
	}
	return append(errs, v.validateRules(errs, object, old, cel.WithRatcheting(pair))...)
}

// validateRules evaluates the rules (CEL), unless the object is too wrong for
// them. Without an old object those about changes are left out.
func (v *version) validateRules(errs field.ErrorList, object, old map[string]any, options ...cel.Option) field.ErrorList {
	if v.rules == nil {
		return nil
	}
	for _, e := range errs {
		switch e.Type {
		case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid:
			return field.ErrorList{field.Invalid(nil, nil,
				"some validation rules were not checked because the object was invalid; correct the existing errors to complete validation")}
		}
	}
	var before any
	if old != nil {
		before = old
	}
	broken, _ := v.rules.Validate(context.Background(), nil, v.schema, object, before, celconfig.RuntimeCELCostBudget, options...)
	return broken
}
