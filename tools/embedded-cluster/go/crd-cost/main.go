// Prints what kube-apiserver 1.30 estimates the rules of a CRD to cost, as JSON.
// Usage: crd-cost FILE
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/bits"
	"os"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"sigs.k8s.io/yaml"
)

type report struct {
	// Refused is why this API server would not take the CRD.
	Refused []string `json:"refused"`
	// Share of the cost that all rules of a CRD may have.
	Share float64 `json:"share"`
	// Rules is how many were estimated.
	Rules int `json:"rules"`
}

type estimate struct {
	environment *environment.EnvSet
	total       uint64
	rules       int
}

// add walks a schema as the validation of CRDs does, which keeps its sum to itself.
func (e *estimate) add(schema *apiextensions.JSONSchemaProps, at *validation.CELSchemaContext) error {
	if len(schema.XValidations) > 0 {
		info, err := at.TypeInfo()
		if err != nil {
			return err
		}
		loader := cel.NewExpressionsEnvLoader()
		compiled, err := cel.Compile(info.Schema, info.DeclType, celconfig.PerCallLimit, e.environment, loader)
		if err != nil {
			return err
		}
		for _, one := range compiled {
			times := one.MaxCardinality
			if at.MaxCardinality != nil {
				times = *at.MaxCardinality
			}
			high, cost := bits.Mul64(one.MaxCost, times)
			if high > 0 {
				return fmt.Errorf("the cost of a rule has no bound")
			}
			e.total += cost
			e.rules++
		}
	}
	for name := range schema.Properties {
		property := schema.Properties[name]
		if err := e.add(&property, at.ChildPropertyContext(&property, name)); err != nil {
			return err
		}
	}
	if schema.Items != nil {
		if err := e.add(schema.Items.Schema, at.ChildItemsContext(schema.Items.Schema)); err != nil {
			return err
		}
	}
	if schema.AdditionalProperties != nil {
		values := schema.AdditionalProperties.Schema
		return e.add(values, at.ChildAdditionalPropertiesContext(values))
	}
	return nil
}

func read(file string) (*apiextensions.CustomResourceDefinition, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var stored v1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(text, &stored); err != nil {
		return nil, err
	}
	v1.SetDefaults_CustomResourceDefinition(&stored)
	v1.SetDefaults_CustomResourceDefinitionSpec(&stored.Spec)
	var crd apiextensions.CustomResourceDefinition
	err = v1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(&stored, &crd, nil)
	return &crd, err
}

func run(file string) error {
	crd, err := read(file)
	if err != nil {
		return err
	}
	result := report{Refused: []string{}}
	for _, refusal := range validation.ValidateCustomResourceDefinition(context.Background(), crd) {
		result.Refused = append(result.Refused, refusal.Error())
	}
	// The conversion moves the schema of a single version here.
	schema := crd.Spec.Validation.OpenAPIV3Schema
	sum := estimate{environment: environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion(), true)}
	if err := sum.add(schema, validation.RootCELContext(schema)); err != nil {
		return err
	}
	result.Share = float64(sum.total) / validation.StaticEstimatedCRDCostLimit
	result.Rules = sum.rules
	return json.NewEncoder(os.Stdout).Encode(result)
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: crd-cost FILE")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
